/* NumPy's .npz: a zip archive of arrays, of which one is the rows and one the labels. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/format.h"
#include "data/labelled.h"

/* Names of arrays as -f npz:x=NAME,labels=NAME has them. */
struct npz_conf {
    const char *x, *labels;
};

/* A text, or nothing: the usual names. */
static int set_name(void *target, const char *text, struct err *e)
{
    (void)e;
    *(const char **)target = text;
    return 0;
}

static const struct param params[] = {
    { "x", set_name, offsetof(struct npz_conf, x), "", "the array of rows (x or X)" },
    { "labels", set_name, offsetof(struct npz_conf, labels), "", "the array of labels (y, Y or labels)" },
    { 0 },
};

/* What an array of the archive can be. */
enum part { PART_X, PART_LABELS, PARTS };
static const char *const usual[PARTS][4] = { { "x", "X" }, { "y", "Y", "labels" } };

struct npz {
    struct labelled rows;
    char *names; /* of all arrays, for messages */
    char *where; /* the archive */
    struct builder *builder;
};

/* "x" of "x.npy". */
static size_t stem(const char *member)
{
    size_t n = strlen(member);
    return n > 4 && strcmp(member + n - 4, ".npy") == 0 ? n - 4 : n;
}

static bool is_named(const char *member, const char *name)
{
    size_t n = stem(member);
    return strlen(name) == n && memcmp(member, name, n) == 0;
}

/* What the array of that name is wanted for; PARTS: for nothing. */
static enum part part_of(const struct npz_conf *c, const char *member)
{
    const char *const wanted[PARTS] = { c->x, c->labels };
    for (enum part i = 0; i < PARTS; i++) {
        if (*wanted[i] != '\0' && is_named(member, wanted[i]))
            return i;
        for (size_t k = 0; *wanted[i] == '\0' && usual[i][k] != NULL; k++)
            if (is_named(member, usual[i][k]))
                return i;
    }
    return PARTS;
}

static int note_name(struct npz *z, const char *member, struct err *e)
{
    char *names = mem_print(e, "%s%s%.*s", z->names ? z->names : "", z->names ? ", " : "",
                            (int)stem(member), member);
    if (names == NULL)
        return -1;
    free(z->names);
    z->names = names;
    return 0;
}

static int take_member(struct npz *z, struct source *s, const struct npz_conf *c, struct err *e)
{
    enum part i = part_of(c, s->member);
    struct array *a = i == PART_X ? &z->rows.x : &z->rows.y;
    if (note_name(z, s->member, e) < 0)
        return -1;
    if (i == PARTS || !array_npy.bid(s->head, s->head_n))
        return 0;
    if (a->name != NULL)
        return err_set(e, ERR_DATA, "%s: a second array beside %s: name one by -f npz:%s=NAME", s->name,
                       a->name, params[i].name);
    return array_open(a, s, e) < 0 || array_load(a, e) < 0 ? -1 : 0;
}

/* All members; the source stands before one. */
static int take_members(struct npz *z, struct source *s, const struct npz_conf *c, struct err *e)
{
    int more = 1;
    while (more > 0) {
        if (take_member(z, s, c, e) < 0)
            return -1;
        more = source_next(s, e);
    }
    return more;
}

static int is_missing(const struct npz *z, const struct npz_conf *c, enum part i, struct err *e)
{
    const char *asked = i == PART_X ? c->x : c->labels;
    return err_set(e, *asked ? ERR_DATA : ERR_USAGE,
                   "%s: no array '%s' for the %s; it has %s: name one by -f npz:%s=NAME", z->where,
                   *asked ? asked : usual[i][0], i == PART_X ? "rows" : "labels", z->names,
                   params[i].name);
}

/* Rows and labels, by the arrays that were found; --labels or --label-column come before one of the archive. */
static int begin(struct npz *z, const struct input *in, const struct npz_conf *c, struct err *e)
{
    if (z->rows.x.name == NULL)
        return is_missing(z, c, PART_X, e);
    if (in->labels != NULL || in->label_column != NULL)
        array_close(&z->rows.y);
    else if (z->rows.y.name == NULL)
        return is_missing(z, c, PART_LABELS, e);
    return labelled_begin(&z->rows, z->builder, in, e);
}

static void npz_close(void *self)
{
    struct npz *z = self;
    labelled_free(&z->rows);
    free(z->names);
    free(z->where);
    free(z);
}

static void *npz_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    struct npz *z = mem_new(1, sizeof *z, e);
    if (z == NULL)
        return NULL;
    static const struct npz_conf usual_names = { "", "" };
    const struct npz_conf *c = in->format.plug == &format_npz.plug ? in->format.conf : &usual_names;
    z->builder = b;
    z->where = mem_text(s->path, e);
    if (z->where != NULL && s->member == NULL)
        err_set(e, ERR_DATA, "%s: no zip archive of arrays", s->name);
    else if (z->where != NULL && take_members(z, s, c, e) == 0 && begin(z, in, c, e) == 0)
        return z;
    npz_close(z);
    return NULL;
}

static int npz_next(void *self, struct err *e)
{
    return labelled_next(&((struct npz *)self)->rows, e);
}

static json_t *npz_meta(const void *self)
{
    return labelled_meta(&((const struct npz *)self)->rows);
}

/* A member that is an array: surer than npy's. */
static int npz_bid(const struct source *s)
{
    return s->member != NULL && array_npy.bid(s->head, s->head_n) ? BID_MAGIC + 1 : BID_NO;
}

const struct format format_npz = {
    .plug = { .name = "npz",
              .help = "arrays of NumPy's in a zip archive: rows and their labels",
              .params = params,
              .conf = sizeof(struct npz_conf) },
    .bid = npz_bid,
    .open = npz_open,
    .next = npz_next,
    .close = npz_close,
    .meta = npz_meta,
};
