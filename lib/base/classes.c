/* The set of labels of a data set: spelled as first seen, with the place where that was. */
#include "base/classes.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define TARGETS "targets" /* what classes_text writes instead of an array */

/* Where a label is, or would be put: the first place that is not below it. */
static size_t place(const struct classes *c, const char *name, double value)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct label *l = &c->v[middle];
        if (c->named ? strcmp(l->name, name) < 0 : l->value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool at_place(const struct classes *c, size_t i, const char *name, double value)
{
    if (i == c->n)
        return false;
    return c->named ? strcmp(c->v[i].name, name) == 0 : c->v[i].value == value;
}

static long found(const struct classes *c, const char *name, double value)
{
    size_t i = place(c, name, value);
    return at_place(c, i, name, value) ? (long)i : -1;
}

long classes_find_value(const struct classes *c, double value)
{
    return c->named ? -1 : found(c, "", value);
}

long classes_find_name(const struct classes *c, const char *name)
{
    return c->named ? found(c, name, 0) : -1;
}

double *classes_places(const struct classes *c, const struct classes *own, struct err *e)
{
    double *places = mem_new(own->n, sizeof *places, e);
    for (size_t i = 0; places != NULL && i < own->n; i++)
        places[i] = (double)classes_find_name(c, own->v[i].name);
    return places;
}

static void label_free(struct label *l)
{
    free(l->name);
    free(l->where);
}

static int label_make(struct label *l, const char *name, double value, const char *where,
                      uint64_t order, struct err *e)
{
    *l = (struct label){ .value = value, .order = order };
    l->name = mem_text(name, e);
    l->where = mem_text(where, e);
    if (l->name != NULL && l->where != NULL)
        return 0;
    label_free(l);
    return -1;
}

/* From now on the labels are numbers to be met, not classes. */
static void become_targets(struct classes *c)
{
    classes_free(c);
    c->targets = true;
}

static int insert(struct classes *c, size_t at, const char *name, double value, const char *where,
                  uint64_t order, struct err *e)
{
    struct label l;
    if (mem_grow(&c->v, &c->cap, c->n + 1, sizeof *c->v, e) < 0 ||
        label_make(&l, name, value, where, order, e) < 0)
        return -1;
    memmove(&c->v[at + 1], &c->v[at], (c->n - at) * sizeof *c->v);
    c->v[at] = l;
    c->n++;
    return 0;
}

int classes_add(struct classes *c, const char *name, double value, const char *where, uint64_t order,
                struct err *e)
{
    if (c->targets)
        return 0;
    size_t at = place(c, name, value);
    if (at_place(c, at, name, value))
        return 0;
    if (c->n < CLASSES_MAX)
        return insert(c, at, name, c->named ? NAN : value, where, order, e);
    if (c->named)
        return err_set(e, ERR_DATA, "%s: more than %d labels that are names", where, CLASSES_MAX);
    become_targets(c);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void classes_name(struct classes *c)
{
    c->named = true;
    for (size_t i = 0; i < c->n; i++)
        c->v[i].value = NAN;
    if (c->n > 0)
        qsort(c->v, c->n, sizeof *c->v, by_name);
}

/* Whether a was seen before b; a tie ends the same way whichever comes first. */
static bool earlier(const struct label *a, const struct label *b)
{
    if (a->order != b->order)
        return a->order < b->order;
    int where = strcmp(a->where, b->where);
    return where ? where < 0 : strcmp(a->name, b->name) < 0;
}

static int mixed(const struct classes *c, const struct classes *d, struct err *e)
{
    const struct classes *names = c->named ? c : d, *numbers = c->named ? d : c;
    if (numbers->n == 0)
        return err_set(e, ERR_DATA, "label '%s' (%s) is a name, other labels are numbers",
                       names->v[0].name, names->v[0].where);
    return err_set(e, ERR_DATA, "label '%s' (%s) is a name, label '%s' (%s) is a number",
                   names->v[0].name, names->v[0].where, numbers->v[0].name, numbers->v[0].where);
}

static int merge_label(struct classes *into, const struct label *l, struct err *e)
{
    size_t at = place(into, l->name, l->value);
    if (!at_place(into, at, l->name, l->value))
        return classes_add(into, l->name, l->value, l->where, l->order, e);
    if (!earlier(l, &into->v[at]))
        return 0;
    struct label copy;
    if (label_make(&copy, l->name, l->value, l->where, l->order, e) < 0)
        return -1;
    label_free(&into->v[at]);
    into->v[at] = copy;
    return 0;
}

int classes_merge(struct classes *into, const struct classes *from, struct err *e)
{
    bool empty = into->n == 0 && !into->targets;
    if (from->n == 0 && !from->targets)
        return 0;
    if (empty)
        into->named = from->named;
    if (into->named != from->named)
        return mixed(into, from, e);
    if (from->targets)
        become_targets(into);
    for (size_t i = 0; i < from->n && !into->targets; i++)
        if (merge_label(into, &from->v[i], e) < 0)
            return -1;
    return 0;
}

static json_t *label_json(const struct classes *c, const struct label *l)
{
    return json_pack("[s,o,s,I]", l->name, c->named ? json_null() : json_real(l->value), l->where,
                     (json_int_t)l->order);
}

static json_t *to_json(const struct classes *c, struct err *e)
{
    json_t *all = c->targets ? json_string(TARGETS) : json_array();
    for (size_t i = 0; all && i < c->n; i++) {
        json_t *one = label_json(c, &c->v[i]);
        if (one == NULL) {
            err_set(e, ERR_DATA, "%s: label '%s' is not UTF-8", c->v[i].where, c->v[i].name);
            json_decref(all);
            return NULL;
        }
        if (json_array_append_new(all, one) < 0) {
            json_decref(all);
            all = NULL;
        }
    }
    if (all == NULL)
        err_memory(e);
    return all;
}

char *classes_text(const struct classes *c, struct err *e)
{
    json_t *all = to_json(c, e);
    char *text = all ? json_dumps(all, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (all && text == NULL)
        err_memory(e);
    json_decref(all);
    return text;
}

static int from_label(struct classes *c, json_t *one, struct err *e)
{
    const char *name, *where;
    json_t *value;
    json_int_t order;
    if (json_unpack(one, "[s,o,s,I!]", &name, &value, &where, &order) < 0 || order < 0 ||
        (!json_is_number(value) && !json_is_null(value)))
        return err_set(e, ERR_DATA, "a class is not [name, value, where, order]");
    if (c->n == 0)
        c->named = json_is_null(value);
    if (c->named != json_is_null(value))
        return err_set(e, ERR_DATA, "classes mix names and numbers");
    return classes_add(c, name, json_number_value(value), where, (uint64_t)order, e);
}

static int from_json(struct classes *c, json_t *all, struct err *e)
{
    if (json_is_string(all) && strcmp(json_string_value(all), TARGETS) == 0) {
        become_targets(c);
        return 0;
    }
    if (!json_is_array(all))
        return err_set(e, ERR_DATA, "classes are no JSON array");
    for (size_t i = 0; i < json_array_size(all); i++)
        if (from_label(c, json_array_get(all, i), e) < 0)
            return -1;
    return 0;
}

int classes_parse(struct classes *c, const char *text, struct err *e)
{
    json_t *all = json_loads(text, JSON_DECODE_ANY, NULL);
    classes_free(c);
    int rc = from_json(c, all, e);
    json_decref(all);
    if (rc < 0)
        classes_free(c);
    return rc;
}

const struct label *classes_nth_seen(const struct classes *c, size_t n)
{
    const struct label *last = NULL, *next = NULL;
    for (size_t k = 0; k <= n; k++, last = next) {
        next = NULL;
        for (size_t i = 0; i < c->n; i++) {
            const struct label *l = &c->v[i];
            if ((last == NULL || earlier(last, l)) && (next == NULL || earlier(l, next)))
                next = l;
        }
    }
    return last;
}

void classes_free(struct classes *c)
{
    for (size_t i = 0; i < c->n; i++)
        label_free(&c->v[i]);
    free(c->v);
    *c = (struct classes){ 0 };
}
