/* What the data of all workers make of the model: how many features, which classes. */
#include "run/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

int shape_add(struct shape *s, const struct spec *model, uint64_t features, const struct classes *c,
              struct err *e)
{
    if (features > s->dims.features)
        s->dims.features = features;
    if (model_row(model)->target == TARGET_REAL)
        return 0;
    return classes_merge(&s->classes, c, e);
}

/* Two classes of which all data show one, a number: the other is its opposite, so that +1 alone is
 * positive and -1 or 0 alone negative. */
static int add_opposite(struct shape *s, const struct log *log, struct err *e)
{
    const struct label *only = &s->classes.v[0];
    double other = only->value == 0 ? 1 : -only->value;
    char name[NUM_TEXT];
    num_print_double(name, other);
    log_note(log, "all labels are %s; %s is taken for the other class", only->name, name);
    return classes_add(&s->classes, name, other, "", only->order, e);
}

static int close_classes(struct shape *s, const struct spec *model, const struct log *log,
                         struct err *e)
{
    enum target target = model_row(model)->target;
    if (target == TARGET_TWO && s->classes.n == 1 && !s->classes.named &&
        add_opposite(s, log, e) < 0)
        return -1;
    return target == TARGET_REAL ? 0 : model_fits(model, &s->classes, false, e);
}

int shape_close(struct shape *s, const struct spec *model, bool bias, const json_t *data,
                const struct log *log, struct err *e)
{
    if (close_classes(s, model, log, e) < 0)
        return -1;
    s->dims.bias = bias;
    s->dims.classes = s->classes.n;
    s->data = json_is_object(data) ? json_incref((json_t *)data) : json_object();
    if (image_parse(&s->dims.image, json_object_get(s->data, "shape"), e) < 0)
        return err_ctx(e, "the data");
    return model_layout(model, &s->dims, &s->layout, e);
}

/* What rows are scaled by. */
static const char *scaling_name(const json_t *scaling)
{
    const char *name = json_string_value(json_object_get(scaling, "method"));
    return name ? name : "nothing";
}

int shape_same_scaling(const json_t *data, const char *whose, const json_t *other, const char *others,
                       struct err *e)
{
    const json_t *mine = json_object_get(data, "scaling"), *theirs = json_object_get(other, "scaling");
    if (mine == theirs || (mine != NULL && theirs != NULL && json_equal(mine, theirs)))
        return 0;
    return err_set(e, ERR_DATA, "%s: its rows are scaled by %s, those of %s by %s%s", whose, scaling_name(mine), others,
                   scaling_name(theirs),
                   mine != NULL && theirs != NULL ? " with other numbers (see dsgd-shard --like)" : "");
}

size_t shape_other_column(const json_t *data, const json_t *other, const char **a, const char **b)
{
    const json_t *mine = json_object_get(data, "columns"), *theirs = json_object_get(other, "columns");
    for (size_t i = 0; i < json_array_size(mine) && i < json_array_size(theirs); i++) {
        *a = json_string_value(json_array_get(mine, i));
        *b = json_string_value(json_array_get(theirs, i));
        if (*a != NULL && *b != NULL && strcmp(*a, *b) != 0)
            return i + 1;
    }
    return 0;
}

/* What both data say under these keys must be the same. */
static int same_members(const char *const *keys, size_t n, const json_t *data, const char *whose, const json_t *other,
                        const char *others, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *mine = json_object_get(data, keys[i]),
                     *theirs = json_object_get(other, keys[i]);
        if (mine == NULL || theirs == NULL || json_equal(mine, theirs))
            continue;
        char *a = json_dumps(mine, JSON_ENCODE_ANY), *b = json_dumps(theirs, JSON_ENCODE_ANY);
        err_set(e, ERR_DATA, "%s: its data have %s %.200s, those of %s have %.200s", whose, keys[i],
                a == NULL ? "" : a, others, b == NULL ? "" : b);
        free(a);
        free(b);
        return -1;
    }
    return 0;
}

int shape_same_image(const json_t *data, const char *whose, const json_t *other, const char *others, struct err *e)
{
    static const char *const keys[] = { "shape" };
    return same_members(keys, 1, data, whose, other, others, e);
}

static bool of_images(const json_t *data)
{
    static const char *const formats[] = { "idx", "cifar10", "cifar100" };
    const char *format = json_string_value(json_object_get(data, "format"));
    for (size_t i = 0; format != NULL && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(format, formats[i]) == 0)
            return json_object_get(data, "scaling") == NULL;
    return false;
}

void shape_tell_bytes(const json_t *data, const char *whose, const json_t *other, const char *others,
                      const struct log *log)
{
    const char *mine = json_string_value(json_object_get(data, "format")),
               *theirs = json_string_value(json_object_get(other, "format"));
    if (mine != NULL && theirs != NULL && of_images(other) && !of_images(data))
        log_note(log, "%s: %s learned from %s, whose bytes count 1/255; numbers of %s count as they are", whose,
                 others, theirs, mine);
    if (mine != NULL && theirs != NULL && of_images(data) && !of_images(other))
        log_note(log, "%s: its bytes count 1/255; %s learned from %s, whose numbers count as they are", whose, others,
                 theirs);
}

int shape_same_reading(const json_t *data, const char *whose, const json_t *other,
                       const char *others, struct err *e)
{
    static const char *const keys[] = { "base", "scale", "shape" };
    static const char *const columns[] = { "categories", "hash_bits", "missing" };
    const char *here, *there;
    if (shape_same_scaling(data, whose, other, others, e) < 0 ||
        same_members(keys, sizeof keys / sizeof *keys, data, whose, other, others, e) < 0)
        return -1;
    size_t column = shape_other_column(data, other, &here, &there);
    if (column > 0)
        return err_set(e, ERR_DATA, "%s: its feature %zu is '%.100s', that of %s '%.100s'", whose, column, here, others,
                       there);
    return same_members(columns, sizeof columns / sizeof *columns, data, whose, other, others, e);
}

void shape_free(struct shape *s)
{
    classes_free(&s->classes);
    json_decref(s->data);
    *s = (struct shape){ 0 };
}
