/* HELLO and WELCOME as JSON, both ways from one table of members each. */
#include "run/hello.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "net/address.h"
#include "net/frame.h"

/* How a kind of member becomes JSON and back. put: a new reference, or NULL and e. get: -1 when v
 * is no such thing, with a word of what it should be in e. */
struct kind {
    json_t *(*put)(const void *member, struct err *e);
    int (*get)(void *member, json_t *v, struct err *e);
};

struct member {
    const char *key;
    const struct kind *kind;
    size_t offset;
};

static int wanted(struct err *e, const char *what)
{
    return err_set(e, ERR_PEER, "is no %s", what);
}

static json_t *put_text(const void *member, struct err *e)
{
    const char *text = *(char *const *)member;
    json_t *v = json_string(text ? text : "");
    if (v == NULL)
        err_set(e, ERR_USAGE, "is no UTF-8 text");
    return v;
}

static int get_text(void *member, json_t *v, struct err *e)
{
    char **text = member;
    if (!json_is_string(v))
        return wanted(e, "text");
    *text = mem_text(json_string_value(v), e);
    return *text ? 0 : -1;
}

static json_t *put_whole(const void *member, struct err *e)
{
    (void)e;
    return json_integer((json_int_t)*(const uint64_t *)member);
}

static int get_whole(void *member, json_t *v, struct err *e)
{
    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return wanted(e, "whole number");
    *(uint64_t *)member = (uint64_t)json_integer_value(v);
    return 0;
}

/* All 64 bits, which JSON's readers do not agree about: as text. */
static json_t *put_bits(const void *member, struct err *e)
{
    char *text = mem_print(e, "%llu", (unsigned long long)*(const uint64_t *)member);
    json_t *v = text ? json_string(text) : NULL;
    free(text);
    return v;
}

static int get_bits(void *member, json_t *v, struct err *e)
{
    struct err why = { 0 };
    if (!json_is_string(v) || num_whole(json_string_value(v), member, &why) < 0)
        return wanted(e, "whole number in quotes");
    return 0;
}

static json_t *put_rank(const void *member, struct err *e)
{
    (void)e;
    int64_t rank = *(const int64_t *)member;
    return rank == RANK_ANY ? json_null() : json_integer(rank);
}

static int get_rank(void *member, json_t *v, struct err *e)
{
    int64_t *rank = member;
    *rank = RANK_ANY;
    if (json_is_null(v))
        return 0;
    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return wanted(e, "rank");
    *rank = json_integer_value(v);
    return 0;
}

static json_t *put_flag(const void *member, struct err *e)
{
    (void)e;
    return json_boolean(*(const int *)member);
}

static int get_flag(void *member, json_t *v, struct err *e)
{
    if (!json_is_boolean(v))
        return wanted(e, "true or false");
    *(int *)member = json_is_true(v);
    return 0;
}

static json_t *put_seconds(const void *member, struct err *e)
{
    (void)e;
    return json_real(*(const double *)member);
}

static int get_seconds(void *member, json_t *v, struct err *e)
{
    if (!json_is_number(v) || !(json_number_value(v) > 0))
        return wanted(e, "number of seconds");
    *(double *)member = json_number_value(v);
    return 0;
}

static json_t *put_classes(const void *member, struct err *e)
{
    char *text = classes_text(member, e);
    json_t *v = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    free(text);
    return v;
}

static int get_classes(void *member, json_t *v, struct err *e)
{
    char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    int done = text ? classes_parse(member, text, e) : err_memory(e);
    free(text);
    return done;
}

static json_t *put_json(const void *member, struct err *e)
{
    (void)e;
    json_t *v = *(json_t *const *)member;
    return v ? json_incref(v) : json_null();
}

static int get_object(void *member, json_t *v, struct err *e)
{
    if (!json_is_object(v) && !json_is_null(v))
        return wanted(e, "object");
    *(json_t **)member = json_incref(v);
    return 0;
}

static int get_array(void *member, json_t *v, struct err *e)
{
    if (!json_is_array(v) && !json_is_null(v))
        return wanted(e, "array");
    *(json_t **)member = json_incref(v);
    return 0;
}

static const struct kind text = { put_text, get_text };
static const struct kind whole = { put_whole, get_whole };
static const struct kind bits = { put_bits, get_bits };
static const struct kind rank = { put_rank, get_rank };
static const struct kind flag = { put_flag, get_flag };
static const struct kind maybe = { put_flag, get_flag }; /* false where it is missing */
static const struct kind seconds = { put_seconds, get_seconds };
static const struct kind classes = { put_classes, get_classes };
static const struct kind object = { put_json, get_object };
static const struct kind array = { put_json, get_array };

static const struct member hello_members[] = {
    { "program", &text, offsetof(struct hello, program) },
    { "name", &text, offsetof(struct hello, name) },
    { "rank", &rank, offsetof(struct hello, rank) },
    { "back", &maybe, offsetof(struct hello, back) },
    { "run", &text, offsetof(struct hello, run) },
    { "kernel", &text, offsetof(struct hello, kernel) },
    { "blas", &text, offsetof(struct hello, blas) },
    { "rows", &whole, offsetof(struct hello, rows) },
    { "features", &whole, offsetof(struct hello, features) },
    { "classes", &classes, offsetof(struct hello, classes) },
    { "sparse", &maybe, offsetof(struct hello, sparse) },
    { "data", &object, offsetof(struct hello, data) },
    { "shards", &array, offsetof(struct hello, shards) },
    { 0 },
};

static const struct member welcome_members[] = {
    { "rank", &whole, offsetof(struct welcome, rank) },
    { "workers", &whole, offsetof(struct welcome, workers) },
    { "seed", &bits, offsetof(struct welcome, seed) },
    { "batch", &whole, offsetof(struct welcome, batch) },
    { "model", &text, offsetof(struct welcome, model) },
    { "features", &whole, offsetof(struct welcome, features) },
    { "classes", &classes, offsetof(struct welcome, classes) },
    { "bias", &flag, offsetof(struct welcome, bias) },
    { "shape", &array, offsetof(struct welcome, shape) },
    { "tensors", &array, offsetof(struct welcome, tensors) },
    { "sparse", &maybe, offsetof(struct welcome, sparse) },
    { "timeout", &seconds, offsetof(struct welcome, timeout) },
    { 0 },
};

static char *to_text(const struct member *m, const void *from, struct err *e)
{
    char *out = NULL;
    json_t *all = json_object();
    for (; all != NULL && m->key != NULL; m++) {
        json_t *v = m->kind->put((const char *)from + m->offset, e);
        if (v == NULL && e->kind != ERR_OK)
            err_ctx(e, "%s", m->key);
        if (json_object_set_new(all, m->key, v) < 0)
            goto out;
    }
    out = all ? json_dumps(all, JSON_COMPACT) : NULL;
out:
    json_decref(all);
    if (out == NULL && e->kind == ERR_OK)
        err_memory(e);
    return out;
}

/* Of classes and columns with long names there may be more than a frame takes. */
static char *framed(char *text, const char *whose, size_t classes, struct err *e)
{
    const size_t most = FRAME_TEXT_MAX - TOKEN_TEXT;
    if (text == NULL || strlen(text) <= most)
        return text;
    err_set(e, ERR_DATA,
            "%s: the names of its %zu classes and of its columns, and what else is told of it, are %zu bytes; "
            "%zu can be sent: shorter names, or numbers, would do",
            whose, classes, strlen(text), most);
    free(text);
    return NULL;
}

/* U+202A to U+202E and U+2066 to U+2069 turn the order of what a terminal shows. */
static bool turns(const unsigned char *at)
{
    return at[0] == 0xe2 && ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
                             (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

static bool has_control(const char *s)
{
    const unsigned char *at = (const unsigned char *)s;
    for (; *at; at++)
        if (*at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f) || turns(at))
            return true;
    return false;
}

/* Anywhere in it: texts go into messages, traces and models. */
static bool controls(json_t *v)
{
    const char *key;
    json_t *one;
    size_t i;
    if (json_is_string(v))
        return has_control(json_string_value(v));
    json_array_foreach(v, i, one)
        if (controls(one))
            return true;
    json_object_foreach(v, key, one)
        if (has_control(key) || controls(one))
            return true;
    return false;
}

/* What a worker calls itself, its files and its labels. How it read its data is not shown. */
static int check_texts(json_t *all, struct err *e)
{
    static const char *const keys[] = { "program", "name",    "run",   "kernel",
                                        "blas",    "classes", "shards" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (controls(json_object_get(all, keys[i])))
            return err_set(e, ERR_DATA, "\"%s\": control characters, such as tabs or line ends",
                           keys[i]);
    return 0;
}

static int from_json(const struct member *m, void *into, json_t *all, struct err *e)
{
    for (; m->key != NULL; m++) {
        json_t *v = json_object_get(all, m->key);
        if (v == NULL && m->kind == &maybe)
            continue;
        if (v == NULL)
            return err_set(e, ERR_PEER, "\"%s\" is missing", m->key);
        if (m->kind->get((char *)into + m->offset, v, e) < 0) {
            e->kind = e->kind == ERR_DATA ? ERR_PEER : e->kind;
            return err_ctx(e, "\"%s\"", m->key);
        }
    }
    return 0;
}

static int from_text(const struct member *m, void *into, const char *json, size_t n, struct err *e)
{
    json_error_t why;
    json_t *all = json_loadb(json, n, JSON_REJECT_DUPLICATES, &why);
    if (all == NULL)
        return err_set(e, ERR_PEER, "JSON: %s", why.text);
    int done = json_is_object(all) ? check_texts(all, e) : wanted(e, "JSON object");
    if (done == 0)
        done = from_json(m, into, all, e);
    json_decref(all);
    return done;
}

char *hello_text(const struct hello *h, struct err *e)
{
    const char *file = json_string_value(json_object_get(json_array_get(h->shards, 0), "file"));
    return framed(to_text(hello_members, h, e), file != NULL ? file : "the data", h->classes.n, e);
}

int hello_parse(struct hello *h, const char *json, size_t n, struct err *e)
{
    if (from_text(hello_members, h, json, n, e) == 0)
        return 0;
    hello_free(h);
    return err_ctx(e, "HELLO");
}

void hello_free(struct hello *h)
{
    free(h->program);
    free(h->name);
    free(h->run);
    free(h->kernel);
    free(h->blas);
    classes_free(&h->classes);
    json_decref(h->data);
    json_decref(h->shards);
    *h = (struct hello){ 0 };
}

/* What a worker would divide by. */
static int check_welcome(const struct welcome *w, struct err *e)
{
    if (w->batch == 0 || (w->features == 0 && !json_is_array(w->tensors)))
        return err_set(e, ERR_PEER, "batch or features is 0");
    if (w->rank >= w->workers)
        return err_set(e, ERR_PEER, "rank %llu of %llu workers", (unsigned long long)w->rank,
                       (unsigned long long)w->workers);
    return 0;
}

char *welcome_text(const struct welcome *w, struct err *e)
{
    return framed(to_text(welcome_members, w, e), "the workers' data", w->classes.n, e);
}

int welcome_parse(struct welcome *w, const char *json, size_t n, struct err *e)
{
    if (from_text(welcome_members, w, json, n, e) == 0 && check_welcome(w, e) == 0)
        return 0;
    welcome_free(w);
    return err_ctx(e, "WELCOME");
}

void welcome_free(struct welcome *w)
{
    free(w->model);
    classes_free(&w->classes);
    json_decref(w->shape);
    json_decref(w->tensors);
    *w = (struct welcome){ 0 };
}
