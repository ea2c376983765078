/* What a run trains, in line 1 of its trace, and read back from there by the options' own setters. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "run/train.h"

static json_t *put_spec(const void *member)
{
    const struct spec *s = member;
    return s->text == NULL ? json_null() : json_string(s->text);
}

static json_t *put_whole(const void *member)
{
    return json_integer((json_int_t) * (const uint64_t *)member);
}

/* All 64 bits, which JSON's readers do not agree about: as text. */
static json_t *put_bits(const void *member)
{
    return json_sprintf("%ju", (uintmax_t) * (const uint64_t *)member);
}

static json_t *put_real(const void *member)
{
    return json_real(*(const double *)member);
}

static json_t *put_count_or_none(const void *member)
{
    return *(const uint64_t *)member == 0 ? json_null() : put_whole(member);
}

static json_t *put_real_or_none(const void *member)
{
    return *(const double *)member == 0 ? json_null() : put_real(member);
}

static json_t *put_not(const void *member)
{
    return json_boolean(!*(const bool *)member);
}

/* A file by its name and what was in it. */
static json_t *put_init(const void *member)
{
    const struct spec *s = member;
    uint32_t crc;
    char text[16];
    if (!init_crc(s, &crc))
        return put_spec(s);
    snprintf(text, sizeof text, "%08x", (unsigned)crc);
    return json_pack("{s:s, s:s}", "spec", s->text, "crc32", text);
}

static int no_value(struct err *e)
{
    return err_set(e, ERR_DATA, "has no such value");
}

/* By the option's setter. */
static int take_text(const struct opt *row, void *member, const json_t *v, struct err *e)
{
    char number[NUM_TEXT];
    const char *text = json_string_value(v);
    if (json_is_integer(v) && json_integer_value(v) >= 0) {
        snprintf(number, sizeof number, "%ju", (uintmax_t)json_integer_value(v));
        text = number;
    } else if (json_is_real(v)) {
        text = num_print_double(number, json_real_value(v));
    }
    if (text == NULL)
        return no_value(e);
    return row->set != NULL ? row->set(member, text, e) : spec_parse(member, row->table, text, e);
}

/* Start parameters out of a file are the same when their checksum is, whatever the file is called. */
static int recall_init(struct spec *mine, const json_t *v, bool given, struct err *e)
{
    const char *text = json_string_value(json_object_get(v, "spec"));
    const char *told = json_string_value(json_object_get(v, "crc32"));
    char here[16] = "none";
    uint32_t crc;
    if (text == NULL || told == NULL)
        return no_value(e);
    if (!given && init_parse(mine, text, e) < 0)
        return err_ctx(e, "the run started from '%s': give that model by --init", text);
    if (init_crc(mine, &crc))
        snprintf(here, sizeof here, "%08x", (unsigned)crc);
    if (strcmp(here, told) == 0)
        return 0;
    return err_set(e, ERR_DATA, "--init: '%s' has checksum %s, the run started from '%s' with %s",
                   mine->text, here, text, told);
}

static int take_not(const struct opt *row, void *member, const json_t *v, struct err *e)
{
    (void)row;
    if (!json_is_boolean(v))
        return no_value(e);
    *(bool *)member = !json_is_true(v);
    return 0;
}

/* Members of line 1, each with its option. */
static const struct told {
    const char *key, *option;
    json_t *(*put)(const void *member);
    int (*take)(const struct opt *row, void *member, const json_t *v, struct err *e);
    char end; /* letter of an end of the run, or 0 */
} told[] = {
    { "seed", "seed", put_bits, take_text, 0 },
    { "policy", "policy", put_spec, take_text, 0 },
    { "step", "step", put_spec, take_text, 0 },
    { "optimizer", "optimizer", put_spec, take_text, 0 },
    { "l1", "l1", put_real, take_text, 0 },
    { "l2", "l2", put_real, take_text, 0 },
    { "clip", "clip", put_real_or_none, take_text, 0 },
    { "correct", "correct", put_spec, take_text, 0 },
    { "model", "model", put_spec, take_text, 0 },
    { "b", "batch", put_whole, take_text, 0 },
    { "bias", "no-bias", put_not, take_not, 0 },
    { "init", "init", put_init, take_text, 0 },
    { "updates", "updates", put_count_or_none, take_text, 'J' },
    { "passes", "passes", put_count_or_none, take_text, 'E' },
    { "time", "time", put_real_or_none, take_text, 'T' },
};
enum { TOLD = sizeof told / sizeof *told };

struct holder {
    struct train_conf train;
};
static const struct opt rows[] = { TRAIN_OPTS(holder, train), { 0 } };

static const struct opt *row_of(const struct told *t)
{
    const struct opt *row = rows;
    while (strcmp(row->name, t->option) != 0)
        row++; /* each is one of TRAIN_OPTS */
    return row;
}

json_t *train_describe(const struct train_conf *c, struct err *e)
{
    json_t *all = json_object();
    for (size_t i = 0; all != NULL && i < TOLD; i++) {
        json_t *v = told[i].put((const char *)c + row_of(&told[i])->offset);
        if (json_object_set_new(all, told[i].key, v) < 0) {
            json_decref(all);
            all = NULL;
        }
    }
    if (all == NULL)
        err_memory(e);
    return all;
}

/* SPECs are the same when they mean the same: k-sync:4 and k-sync:K=4. */
static bool same(const struct told *t, const void *a, const void *b)
{
    if (t->put == put_spec || t->put == put_init) {
        const struct spec *x = a, *y = b;
        return x->plug == y->plug && (x->plug == NULL || strcmp(x->text, y->text) == 0 ||
                                      memcmp(x->conf, y->conf, x->plug->conf) == 0);
    }
    json_t *x = t->put(a), *y = t->put(b);
    bool equal = json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return equal;
}

static int contradiction(const struct told *t, const void *mine, const json_t *v, struct err *e)
{
    json_t *own = t->put(mine);
    char *here = json_dumps(own, JSON_ENCODE_ANY), *there = json_dumps(v, JSON_ENCODE_ANY);
    err_set(e, ERR_DATA, "--%s: %s here is %s, the run was recorded with %s", t->option, t->key,
            here == NULL ? "" : here, there == NULL ? "" : there);
    free(here);
    free(there);
    json_decref(own);
    return -1;
}

static int recall(struct train_conf *c, const struct told *t, const json_t *v, bool given,
                  struct err *e)
{
    const struct opt *row = row_of(t);
    struct train_conf scratch = { 0 };
    void *mine = (char *)c + row->offset, *theirs = (char *)&scratch + row->offset;
    int rc = json_is_null(v) ? 0 : t->take(row, theirs, v, e);
    if (rc < 0) {
        e->kind = e->kind == ERR_SYSTEM ? ERR_SYSTEM : ERR_DATA;
        err_ctx(e, "\"%s\"", t->key);
    } else if (given && !same(t, mine, theirs)) {
        rc = contradiction(t, mine, v, e);
    } else if (!json_is_null(v)) {
        rc = t->take(row, mine, v, e); /* as it was spelled then: it goes into the model */
    }
    if (t->put == put_spec || t->put == put_init)
        spec_free(theirs);
    return rc;
}

/* The rules were changed while the run went on, and the command line says what they were at first. */
static bool as_it_began(const struct train_conf *c, const struct told *t, const json_t *meta)
{
    const json_t *v = json_object_get(json_object_get(meta, "began"), t->key);
    const struct opt *row = row_of(t);
    struct train_conf scratch = { 0 };
    void *theirs = (char *)&scratch + row->offset;
    struct err ignored = { 0 };
    if (v == NULL || t->put != put_spec || t->take(row, theirs, v, &ignored) < 0)
        return false;
    bool equal = same(t, (const char *)c + row->offset, theirs);
    spec_free(theirs);
    return equal;
}

static int recall_all(struct train_conf *c, const json_t *meta, train_given *given,
                      const void *self, bool ends, struct err *e)
{
    for (size_t i = 0; i < TOLD; i++) {
        if (told[i].end != 0 && !ends)
            continue;
        const json_t *v = json_object_get(meta, told[i].key);
        if (told[i].put == put_init && json_is_object(v)) {
            if (recall_init(&c->init, v, given(self, told[i].option), e) < 0)
                return -1;
            continue;
        }
        bool asked = given(self, told[i].option) && !as_it_began(c, &told[i], meta);
        if (v != NULL && recall(c, &told[i], v, asked, e) < 0)
            return -1;
    }
    return 0;
}

int train_recall(struct train_conf *c, const json_t *meta, train_given *given, const void *self,
                 struct err *e)
{
    return recall_all(c, meta, given, self, true, e);
}

int train_resume(struct train_conf *c, const json_t *meta, train_given *given, const void *self,
                 struct err *e)
{
    bool own = false;
    for (size_t i = 0; i < TOLD; i++)
        own = own || (told[i].end != 0 && given(self, told[i].option));
    return recall_all(c, meta, given, self, !own, e);
}

/* "resumed -J 20 -T 30" */
static const char resumed[] = "resumed";

const char *train_note(const struct train_conf *c, char text[static TRAIN_NOTE])
{
    char seconds[NUM_TEXT];
    int n = snprintf(text, TRAIN_NOTE, "%s", resumed);
    if (c->updates > 0)
        n += snprintf(text + n, (size_t)(TRAIN_NOTE - n), " -J %ju", (uintmax_t)c->updates);
    if (c->passes > 0)
        n += snprintf(text + n, (size_t)(TRAIN_NOTE - n), " -E %ju", (uintmax_t)c->passes);
    if (c->seconds > 0)
        snprintf(text + n, (size_t)(TRAIN_NOTE - n), " -T %s", num_print_double(seconds, c->seconds));
    return text;
}

bool train_note_is(const char *text)
{
    return strncmp(text, resumed, sizeof resumed - 1) == 0;
}

static int take_end(struct train_conf *c, char letter, const char *value, struct err *e)
{
    for (size_t i = 0; i < TOLD; i++)
        if (told[i].end == letter && letter != 0) {
            const struct opt *row = row_of(&told[i]);
            return row->set((char *)c + row->offset, value, e);
        }
    return err_set(e, ERR_DATA, "no end is called -%c", letter);
}

int train_note_take(struct train_conf *c, const char *text, struct err *e)
{
    char value[TRAIN_NOTE];
    c->updates = c->passes = 0;
    c->seconds = 0;
    for (text += sizeof resumed - 1; *text != '\0';) {
        size_t n = strlen(text) < 5 ? 0 : strcspn(text + 4, " ");
        if (n == 0 || n >= sizeof value || text[0] != ' ' || text[1] != '-' || text[3] != ' ')
            return err_set(e, ERR_DATA, "set: '%s' behind 'resumed': the ends must follow (-J 20)", text);
        snprintf(value, sizeof value, "%.*s", (int)n, text + 4);
        if (take_end(c, text[2], value, e) < 0) {
            e->kind = ERR_DATA;
            return err_ctx(e, "set: '%s'", value);
        }
        text += 4 + n;
    }
    return 0;
}
