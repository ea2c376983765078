/* A model's record: written from the layout, and read back with every field checked. */
#include "learn/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

static const char format[] = "dsgd-model 1";

size_t model_tensors(const struct layout *l, const float *w, struct tensor *tensors)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct part *p = &l->parts[i];
        struct tensor *t = &tensors[i];
        *t = (struct tensor){ .dtype = DTYPE_F32, .dims = p->dims, .data = w + p->offset };
        strncpy(t->name, p->name, sizeof t->name - 1);
        memcpy(t->shape, p->shape, sizeof t->shape);
    }
    return l->n;
}

/* A model of targets has no classes: there may be thousands of different ones. */
static int meta_classes(json_t *meta, const struct spec *model, const struct classes *c,
                        struct err *e)
{
    static const struct classes none = { 0 };
    char *text = classes_text(model_row(model)->target == TARGET_REAL ? &none : c, e);
    if (text == NULL)
        return -1;
    int rc = meta_set(meta, "classes", e, "%s", text);
    free(text);
    return rc;
}

int model_meta(json_t *meta, const struct spec *model, const struct dims *d, const struct classes *c,
               uint64_t iteration, double time, struct err *e)
{
    char seconds[NUM_TEXT];
    if (meta_set(meta, "format", e, "%s", format) < 0
        || meta_set(meta, "model", e, "%s", model->text) < 0
        || meta_set(meta, "features", e, "%ju", (uintmax_t)d->features) < 0
        || meta_classes(meta, model, c, e) < 0
        || meta_set(meta, "bias", e, "%d", d->bias) < 0
        || meta_set(meta, "iteration", e, "%ju", (uintmax_t)iteration) < 0
        || meta_set(meta, "time", e, "%s", num_print_double(seconds, time)) < 0)
        return -1;
    return 0;
}

static int read_format(const json_t *meta, struct err *e)
{
    const char *text = meta_text(meta, "format");
    if (text == NULL)
        return err_set(e, ERR_DATA, "no model: its metadata name no format");
    if (strcmp(text, format) != 0)
        return err_set(e, ERR_DATA, "format '%s' is no model; a model has '%s'", text, format);
    return 0;
}

/* What goes wrong with a SPEC that came in a file is the file's fault, not the command line's. */
static int read_spec(struct model *m, struct err *e)
{
    const char *text = meta_text(m->meta, "model");
    if (text == NULL)
        return err_set(e, ERR_DATA, "metadata lack 'model'");
    if (spec_parse(&m->spec, &model_table, text, e) == 0)
        return 0;
    if (e->kind == ERR_USAGE)
        e->kind = ERR_DATA;
    return -1;
}

static int read_classes(struct model *m, struct err *e)
{
    const char *text = meta_text(m->meta, "classes");
    if (text == NULL)
        return err_set(e, ERR_DATA, "metadata lack 'classes'");
    if (classes_parse(&m->classes, text, e) < 0)
        return err_ctx(e, "metadata 'classes'");
    if (model_row(&m->spec)->target == TARGET_REAL)
        return 0;
    return model_fits(&m->spec, &m->classes, false, e);
}

static int read_numbers(struct model *m, struct err *e)
{
    uint64_t bias;
    if (meta_whole(m->meta, "features", &m->dims.features, e) < 0
        || meta_whole(m->meta, "bias", &bias, e) < 0
        || meta_whole(m->meta, "iteration", &m->iteration, e) < 0
        || meta_real(m->meta, "time", &m->time, e) < 0)
        return -1;
    if (bias > 1)
        return err_set(e, ERR_DATA, "metadata 'bias': '%ju': allowed are 0 and 1", (uintmax_t)bias);
    m->dims.bias = bias == 1;
    m->dims.classes = m->classes.n;
    return 0;
}

int image_parse(struct image *i, const json_t *shape, struct err *e)
{
    uint64_t *v[] = { &i->height, &i->width, &i->channels };
    *i = (struct image){ 0 };
    if (shape == NULL || json_is_null(shape))
        return 0;
    bool good = json_array_size(shape) == 3;
    for (size_t k = 0; good && k < 3; k++) {
        json_int_t n = json_integer_value(json_array_get(shape, k));
        good = n > 0 && n <= IMAGE_MAX;
        *v[k] = good ? (uint64_t)n : 0;
    }
    return good ? 0 : err_set(e, ERR_DATA, "their shape is not [height, width, channels]");
}

/* The data that it learned from may say what shape their images have. */
static int read_image(struct model *m, struct err *e)
{
    const char *text = meta_text(m->meta, "data");
    json_t *data = text == NULL ? NULL : json_loads(text, 0, NULL);
    int rc = image_parse(&m->dims.image, json_object_get(data, "shape"), e);
    json_decref(data);
    return rc < 0 ? err_ctx(e, "metadata 'data'") : 0;
}

static int check_shape(const struct tensor *t, const struct part *p, struct err *e)
{
    if (t == NULL)
        return err_set(e, ERR_DATA, "missing");
    if (t->dtype != DTYPE_F32)
        return err_set(e, ERR_DATA, "%s, must be F32", dtype_name(t->dtype));
    if (t->dims != p->dims)
        return err_set(e, ERR_DATA, "%u dimensions, its model has %u", t->dims, p->dims);
    for (unsigned i = 0; i < p->dims; i++)
        if (t->shape[i] != p->shape[i])
            return err_set(e, ERR_DATA, "dimension %u is %zu, its model has %zu", i, t->shape[i],
                           p->shape[i]);
    return 0;
}

static int read_values(float *w, const struct tensor *t, const struct part *p, struct err *e)
{
    memcpy(w, t->data, p->size * sizeof *w);
    for (size_t i = 0; i < p->size; i++)
        if (!isfinite(w[i]))
            return err_set(e, ERR_DATA, "value %zu is not a finite number", i);
    return 0;
}

/* Shapes are compared before memory is taken: a damaged `features` must not ask for terabytes. */
float *layout_values(const struct layout *l, const struct record *r, struct err *e)
{
    const struct part *p = l->parts, *end = p + l->n;
    for (; p < end; p++)
        if (check_shape(record_find(r, p->name), p, e) < 0) {
            err_ctx(e, "tensor %s", p->name);
            return NULL;
        }
    float *w = mem_new(l->size, sizeof *w, e);
    for (p = l->parts; w != NULL && p < end; p++)
        if (read_values(w + p->offset, record_find(r, p->name), p, e) < 0) {
            err_ctx(e, "tensor %s", p->name);
            free(w);
            return NULL;
        }
    return w;
}

static int read_layout(struct model *m, const struct record *r, struct err *e)
{
    if (model_told(&m->spec))
        return layout_of_record(&m->layout, r, e);
    return model_layout(&m->spec, &m->dims, &m->layout, e);
}

int model_read(struct model *m, const struct record *r, struct err *e)
{
    m->meta = json_incref(r->meta);
    if (read_format(m->meta, e) == 0 && read_spec(m, e) == 0 && read_classes(m, e) == 0
        && read_numbers(m, e) == 0 && read_image(m, e) == 0
        && read_layout(m, r, e) == 0
        && (m->w = layout_values(&m->layout, r, e)) != NULL)
        return 0;
    model_free(m);
    return -1;
}

void model_free(struct model *m)
{
    spec_free(&m->spec);
    classes_free(&m->classes);
    free(m->w);
    json_decref(m->meta);
    *m = (struct model){ 0 };
}
