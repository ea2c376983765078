/* The shapes and targets of the models, and the labels that suit them. */
#include "learn/model.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "learn/net.h"

static struct part *add_part(struct layout *l, const char *name, bool penalised)
{
    struct part *p = &l->parts[l->n++];
    *p = (struct part){ .offset = l->size, .penalised = penalised };
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

/* s = W x + b: weight (outputs, d), then bias (outputs). */
static int linear(const struct dims *d, uint64_t outputs, struct layout *l, struct err *e)
{
    if (d->features == 0)
        return err_set(e, ERR_DATA, "the data have no features");
    if (d->features > INT32_MAX || outputs > INT32_MAX
        || d->features > (SIZE_MAX / sizeof(float) - outputs) / outputs)
        return err_set(e, ERR_DATA, "%ju x %ju parameters are more than memory can hold",
                       (uintmax_t)outputs, (uintmax_t)d->features);
    struct part *w = add_part(l, "weight", true);
    w->dims = 2;
    w->shape[0] = outputs;
    w->shape[1] = d->features;
    l->size += w->size = outputs * d->features;
    if (!d->bias)
        return 0;
    struct part *b = add_part(l, "bias", false);
    b->dims = 1;
    b->shape[0] = outputs;
    l->size += b->size = outputs;
    return 0;
}

static int one_output(const void *conf, const struct dims *d, struct layout *l, struct err *e)
{
    (void)conf;
    return linear(d, 1, l, e);
}

static int output_a_class(const void *conf, const struct dims *d, struct layout *l, struct err *e)
{
    (void)conf;
    if (d->classes < 2)
        return err_set(e, ERR_DATA, "%ju classes, at least 2 are needed", (uintmax_t)d->classes);
    return linear(d, d->classes, l, e);
}

static const struct model_ops model_least_squares = {
    .plug = { .name = "least-squares", .help = "linear regression: half the squared error" },
    .target = TARGET_REAL,
    .layout = one_output,
};
static const struct model_ops model_logistic = {
    .plug = { .name = "logistic", .help = "logistic regression of two classes" },
    .target = TARGET_TWO,
    .layout = one_output,
};
static const struct model_ops model_softmax = {
    .plug = { .name = "softmax", .help = "multinomial logistic regression" },
    .target = TARGET_MANY,
    .layout = output_a_class,
};
static const struct model_ops model_hinge = {
    .plug = { .name = "hinge", .help = "linear support vector machine of two classes" },
    .target = TARGET_TWO,
    .layout = one_output,
};

extern const struct model_ops model_external, model_null; /* their own files have the rest of them */

static const struct plug *const rows[] = {
#define MODEL(name) &model_##name.plug,
#include "learn/model.def"
#undef MODEL
    NULL,
};
const struct table model_table = { .noun = "model", .rows = rows };

int layout_fits(const struct layout *l, uint64_t copies, struct err *e)
{
    return mem_fits((double)l->size * sizeof(float) * (double)copies, e,
                    "a model of %zu parameters, with its gradients in %" PRIu64
                    " copies (fewer features, classes or workers make it less),",
                    l->size, copies);
}

int model_load(const struct spec *model, struct err *e)
{
    return model_row(model)->load == NULL ? 0 : model_row(model)->load(model->conf, e);
}

bool model_told(const struct spec *model)
{
    return model_row(model)->load != NULL;
}

int model_layout(const struct spec *model, const struct dims *d, struct layout *l, struct err *e)
{
    *l = (struct layout){ 0 };
    if (model_row(model)->layout(model->conf, d, l, e) < 0)
        return err_ctx(e, "model %s", model->plug->name);
    return 0;
}

/* Puts the label and the place where it was seen in front: "three.svm:3: label 3: ...". */
static int label_ctx(const struct label *l, struct err *e)
{
    err_ctx(e, "label %s", l->name);
    return l->where == NULL ? -1 : err_ctx(e, "%s", l->where);
}

static bool is_number(const struct label *l)
{
    double value;
    struct err ignored = { 0 };
    return num_real(l->name, &value, &ignored) == 0;
}

static int fits_real(const struct classes *c, const char *model, bool partial, struct err *e)
{
    (void)partial;
    if (!c->named || c->n == 0)
        return 0;
    size_t i = 0;
    while (i + 1 < c->n && is_number(classes_nth_seen(c, i)))
        i++;
    err_set(e, ERR_DATA, "not a number, as %s needs", model);
    return label_ctx(classes_nth_seen(c, i), e);
}

static int fits_many(const struct classes *c, const char *model, bool partial, struct err *e)
{
    if (c->targets)
        return err_set(e, ERR_DATA, "more than %d different labels; %s needs classes", CLASSES_MAX,
                       model);
    if (partial || c->n >= 2)
        return 0;
    if (c->n == 0)
        return err_set(e, ERR_DATA, "no labels; %s needs two classes", model);
    err_set(e, ERR_DATA, "the only label there is; %s needs two classes", model);
    return label_ctx(&c->v[0], e);
}

static int fits_two(const struct classes *c, const char *model, bool partial, struct err *e)
{
    if (c->targets || c->n <= 2)
        return fits_many(c, model, partial, e);
    err_set(e, ERR_DATA, "more than two classes; %s takes two, softmax any number", model);
    return label_ctx(classes_nth_seen(c, 2), e);
}

static int fits_any(const struct classes *c, const char *model, bool partial, struct err *e)
{
    (void)c, (void)model, (void)partial, (void)e;
    return 0;
}

int model_fits(const struct spec *model, const struct classes *c, bool partial, struct err *e)
{
    static int (*const fits[])(const struct classes *, const char *, bool, struct err *) = {
        [TARGET_REAL] = fits_real,
        [TARGET_TWO] = fits_two,
        [TARGET_MANY] = fits_many,
        [TARGET_ANY] = fits_any,
    };
    return fits[model_row(model)->target](c, model->plug->name, partial, e);
}
