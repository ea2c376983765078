/* Arrays with names: rows, labels, weights. */
#include "data/named.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A text, or nothing. */
static int set_name(void *target, const char *text, struct err *e)
{
    (void)e;
    *(const char **)target = text;
    return 0;
}

const struct param named_params[] = {
    { "x", set_name, offsetof(struct named_conf, name[NAMED_X]), "",
      "the array of rows (x, X, data, images, features or inputs)" },
    { "labels", set_name, offsetof(struct named_conf, name[NAMED_LABELS]), "",
      "the array of labels (y, Y, labels, label, targets or target)" },
    { "weights", set_name, offsetof(struct named_conf, name[NAMED_WEIGHTS]), "",
      "the array of the rows' weights (weights, sample_weight or sample_weights)" },
    { 0 },
};

static const char *const usual[NAMED_PARTS][7] = {
    { "x", "X", "data", "images", "features", "inputs" },
    { "y", "Y", "labels", "label", "targets", "target" },
    { "weights", "sample_weight", "sample_weights" },
};
static const char *const nouns[NAMED_PARTS] = { "rows", "labels", "weights" };

void named_begin(struct named *n, const struct plug *format, const char *where, const struct input *in)
{
    const json_t *like = in->like ? json_object_get(in->like, "arrays") : NULL;
    n->format = format->name;
    n->where = where;
    n->in = in;
    for (enum named_part i = 0; i < NAMED_PARTS; i++) {
        const char *liked = json_string_value(json_object_get(like, named_params[i].name));
        n->asked.name[i] = "";
        n->liked.name[i] = liked ? liked : "";
    }
    if (in->format.plug == format)
        n->asked = *(const struct named_conf *)in->format.conf;
}

bool named_asked(const struct named *n, const char *name)
{
    for (enum named_part i = 0; i < NAMED_PARTS; i++)
        if (strcmp(n->asked.name[i], name) == 0)
            return true;
    return false;
}

static bool is_usual(enum named_part part, const char *name)
{
    for (size_t k = 0; usual[part][k] != NULL; k++)
        if (strcmp(usual[part][k], name) == 0)
            return true;
    return false;
}

enum named_part named_find(const struct named *n, const char *name)
{
    for (enum named_part i = 0; i < NAMED_PARTS; i++)
        if (*n->asked.name[i] != '\0' ? strcmp(n->asked.name[i], name) == 0
                                      : strcmp(n->liked.name[i], name) == 0 || is_usual(i, name))
            return i;
    return NAMED_PARTS;
}

enum named_part named_guess(const struct named *n, const struct array *a)
{
    enum named_part part = a->n_dims > 1 ? NAMED_X : NAMED_LABELS;
    bool sought = *n->asked.name[part] == '\0' && !n->slot[part].exact;
    return sought ? part : NAMED_PARTS;
}

int named_note(struct named *n, const char *name, struct err *e)
{
    char *known = mem_print(e, "%s%s%s", n->known ? n->known : "", n->known ? ", " : "", name);
    if (known == NULL)
        return -1;
    free(n->known);
    n->known = known;
    return 0;
}

int named_put(struct named *n, enum named_part part, bool exact, struct array *a, struct err *e)
{
    struct named_slot *s = &n->slot[part];
    if (exact && s->exact) {
        err_set(e, ERR_DATA, "%s: a second array beside %s: name one by -f %s:%s=NAME", a->name, s->array.name,
                n->format, named_params[part].name);
        array_close(a);
        return -1;
    }
    if (!exact && (s->exact || s->many || s->array.name != NULL)) {
        array_close(a);
        if (!s->exact)
            array_close(&s->array);
        s->many = true;
        return 0;
    }
    array_close(&s->array);
    s->array = *a;
    s->exact = exact;
    *a = (struct array){ 0 };
    return 0;
}

static int is_missing(const struct named *n, enum named_part part, struct err *e)
{
    const char *asked = n->asked.name[part], *known = n->known ? n->known : "none";
    const char *key = named_params[part].name;
    if (*asked != '\0')
        return err_set(e, ERR_DATA, "%s: no array '%s' for the %s; it has %s: name one by -f %s:%s=NAME", n->where,
                       asked, nouns[part], known, n->format, key);
    return err_set(e, ERR_USAGE, "%s: no array '%s' for the %s; it has %s: name one by -f %s:%s=NAME%s", n->where,
                   usual[part][0], nouns[part], known, n->format, key,
                   part == NAMED_LABELS ? ", or give --labels FILE" : "");
}

int named_finish(struct named *n, struct labelled *l, const uint64_t *rows, struct err *e)
{
    struct array *from[NAMED_PARTS], *to[NAMED_PARTS] = { &l->x, &l->y, &l->weights };
    const struct input *in = n->in;
    for (enum named_part i = 0; i < NAMED_PARTS; i++)
        from[i] = &n->slot[i].array;
    if (rows == NULL && from[NAMED_X]->name == NULL)
        return is_missing(n, NAMED_X, e);
    if (!n->slot[NAMED_LABELS].exact && from[NAMED_LABELS]->rows != (rows ? *rows : from[NAMED_X]->rows))
        array_close(from[NAMED_LABELS]);
    if (in->labels != NULL || in->label_column != NULL)
        array_close(from[NAMED_LABELS]);
    else if (from[NAMED_LABELS]->name == NULL && !(in->unlabelled && *n->asked.name[NAMED_LABELS] == '\0'))
        return is_missing(n, NAMED_LABELS, e);
    if (*n->asked.name[NAMED_WEIGHTS] != '\0' && from[NAMED_WEIGHTS]->name == NULL)
        return is_missing(n, NAMED_WEIGHTS, e);
    for (enum named_part i = rows ? NAMED_LABELS : NAMED_X; i < NAMED_PARTS; i++) {
        *to[i] = *from[i];
        *from[i] = (struct array){ 0 };
    }
    return 0;
}

json_t *named_json(const struct named *n)
{
    json_t *names = NULL;
    for (enum named_part i = 0; i < NAMED_PARTS; i++) {
        const char *name = *n->asked.name[i] != '\0' ? n->asked.name[i] : n->liked.name[i];
        if (*name != '\0' && names == NULL)
            names = json_object();
        if (*name != '\0')
            json_object_set_new(names, named_params[i].name, json_string(name));
    }
    return names;
}

void named_free(struct named *n)
{
    for (enum named_part i = 0; i < NAMED_PARTS; i++)
        array_close(&n->slot[i].array);
    free(n->known);
}
