/* The networks mlp and cnn: their SPECs, and the plan and layout that follow from data. */
#include "learn/net.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

enum { OUTPUTS_MAX = 1 << 20, SIDE_MAX = 255 };

uint64_t volume_size(const struct volume *v)
{
    return v->channels * v->height * v->width;
}

/* Whole numbers of a text like 16x5, n of them, from 1 to max[i]. */
static int numbers(const char *text, size_t n, const uint64_t *max, uint64_t *v, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        char one[24];
        size_t length = strcspn(text, "x");
        bool last = text[length] == '\0';
        if (last != (i + 1 == n) || length >= sizeof one)
            return err_set(e, ERR_USAGE, "write %s", n == 1 ? "a number" : n == 2 ? "16x5" : "28x28x1");
        memcpy(one, text, length);
        one[length] = '\0';
        if (num_whole(one, &v[i], e) < 0)
            return -1;
        if (v[i] == 0 || v[i] > max[i])
            return err_set(e, ERR_USAGE, "numbers from 1 to %ju", (uintmax_t)max[i]);
        text += length + 1;
    }
    return 0;
}

static int add_layer(struct net_conf *c, enum layer_kind kind, uint64_t outputs, uint64_t side,
                     struct err *e)
{
    if (c->n == NET_LAYERS - 1)
        return err_set(e, ERR_USAGE, "more than %d layers", NET_LAYERS - 1);
    struct layer *l = &c->layer[c->n++];
    l->kind = kind;
    l->outputs = (uint32_t)outputs;
    l->side = (uint32_t)side;
    return 0;
}

/* The default of layers that may be left out. */
static bool is_none(const char *text)
{
    return strcmp(text, "none") == 0;
}

static int set_dense(void *target, const char *text, struct err *e)
{
    static const uint64_t max[] = { OUTPUTS_MAX };
    uint64_t outputs;
    if (is_none(text))
        return 0;
    return numbers(text, 1, max, &outputs, e) < 0 ? -1
                                                  : add_layer(target, LAYER_DENSE, outputs, 0, e);
}

static int behind_dense(const struct net_conf *c, struct err *e)
{
    if (c->n == 0 || c->layer[c->n - 1].kind != LAYER_DENSE)
        return 0;
    return err_set(e, ERR_USAGE, "behind a dense layer there is no image any more");
}

static int set_conv(void *target, const char *text, struct err *e)
{
    static const uint64_t max[] = { OUTPUTS_MAX, SIDE_MAX };
    uint64_t v[2];
    if (numbers(text, 2, max, v, e) < 0 || behind_dense(target, e) < 0)
        return -1;
    return add_layer(target, LAYER_CONV, v[0], v[1], e);
}

static int set_pool(void *target, const char *text, struct err *e)
{
    static const uint64_t max[] = { SIDE_MAX };
    uint64_t side;
    if (is_none(text))
        return 0;
    if (numbers(text, 1, max, &side, e) < 0 || behind_dense(target, e) < 0)
        return -1;
    return add_layer(target, LAYER_POOL, 0, side, e);
}

static int set_input(void *target, const char *text, struct err *e)
{
    static const uint64_t max[] = { IMAGE_MAX, IMAGE_MAX, IMAGE_MAX };
    uint64_t v[3];
    if (strcmp(text, "data") == 0)
        return 0;
    if (numbers(text, 3, max, v, e) < 0)
        return -1;
    *(struct image *)target = (struct image){ v[0], v[1], v[2] };
    return 0;
}

/* What comes out of a layer. */
static struct volume conv_out(const struct layer *l, const struct volume *in)
{
    return (struct volume){ l->outputs, in->height, in->width };
}

static struct volume pool_out(const struct layer *l, const struct volume *in)
{
    return (struct volume){ in->channels, in->height / l->side, in->width / l->side };
}

static struct volume dense_out(const struct layer *l, const struct volume *in)
{
    (void)in;
    return (struct volume){ l->outputs, 1, 1 };
}

/* Numbers that each output is a sum over; 0: the layer has no weights. */
static uint64_t conv_inputs(const struct layer *l, const struct volume *in)
{
    return in->channels * l->side * l->side;
}

static uint64_t pool_inputs(const struct layer *l, const struct volume *in)
{
    (void)l, (void)in;
    return 0;
}

static uint64_t dense_inputs(const struct layer *l, const struct volume *in)
{
    (void)l;
    return volume_size(in);
}

static const struct {
    struct volume (*out)(const struct layer *l, const struct volume *in);
    uint64_t (*inputs)(const struct layer *l, const struct volume *in);
    unsigned modules; /* the layer itself and its ReLU */
} kinds[] = {
    [LAYER_CONV] = { conv_out, conv_inputs, 2 },
    [LAYER_POOL] = { pool_out, pool_inputs, 1 },
    [LAYER_DENSE] = { dense_out, dense_inputs, 2 },
};

/* Adds a layer behind the others. */
static int add_stage(struct plan *p, const struct layer *l, bool bias, struct err *e)
{
    struct stage *before = p->n == 0 ? NULL : &p->stage[p->n - 1], *s = &p->stage[p->n++];
    s->layer = *l;
    s->in = before == NULL ? p->in : before->out;
    s->out = kinds[l->kind].out(l, &s->in);
    if (before != NULL)
        s->module = before->module + kinds[before->layer.kind].modules;
    if (before != NULL && before->layer.kind != LAYER_DENSE && l->kind == LAYER_DENSE)
        s->module++; /* the image is laid flat */
    if (volume_size(&s->out) == 0)
        return err_set(e, ERR_DATA, "layer %zu: nothing is left of %jux%ju by a pool of %u", p->n,
                       (uintmax_t)s->in.height, (uintmax_t)s->in.width, (unsigned)l->side);
    uint64_t inputs = kinds[l->kind].inputs(l, &s->in);
    double size = (double)p->size + (double)l->outputs * ((double)inputs + 1);
    if (volume_size(&s->out) > INT32_MAX || inputs > INT32_MAX
        || size > (double)(SIZE_MAX / 2 / sizeof(float)))
        return err_set(e, ERR_DATA, "layer %zu is more than memory can hold", p->n);
    s->offset = p->size;
    s->weights = l->outputs * inputs;
    s->biases = bias && inputs > 0 ? l->outputs : 0;
    p->size += s->weights + s->biases;
    return 0;
}

static int chain(const struct net_conf *c, const struct dims *d, struct plan *p, struct err *e)
{
    if (d->classes < 2)
        return err_set(e, ERR_DATA, "%ju classes, at least 2 are needed", (uintmax_t)d->classes);
    if (d->features == 0 || d->features > INT32_MAX)
        return err_set(e, ERR_DATA, "%ju features", (uintmax_t)d->features);
    struct layer last = { LAYER_DENSE, (uint32_t)d->classes, 0 };
    for (uint64_t i = 0; i < c->n; i++)
        if (add_stage(p, &c->layer[i], d->bias, e) < 0)
            return -1;
    return add_stage(p, &last, d->bias, e);
}

int mlp_plan(const void *conf, const struct dims *d, struct plan *p, struct err *e)
{
    *p = (struct plan){ .in = { d->features, 1, 1 } };
    return chain(conf, d, p, e);
}

int cnn_plan(const void *conf, const struct dims *d, struct plan *p, struct err *e)
{
    const struct net_conf *c = conf;
    const struct image *i = c->input.height > 0 ? &c->input : &d->image;
    if (i->height == 0)
        return err_set(e, ERR_DATA, "the data do not say what shape their images have: "
                       "give it as input=HEIGHTxWIDTHxCHANNELS");
    *p = (struct plan){ .in = { i->channels, i->height, i->width } };
    if (volume_size(&p->in) != d->features)
        return err_set(e, ERR_DATA, "images of %jux%jux%ju are %ju features, the data have %ju",
                       (uintmax_t)i->height, (uintmax_t)i->width, (uintmax_t)i->channels,
                       (uintmax_t)volume_size(&p->in), (uintmax_t)d->features);
    return chain(conf, d, p, e);
}

/* Weights as frameworks shape them: (outputs, inputs), or (channels, channels before, side, side). */
static void add_weights(struct layout *l, const struct stage *s)
{
    struct part *p = &l->parts[l->n++];
    *p = (struct part){ .dims = 2,
                        .shape = { s->layer.outputs, s->weights / s->layer.outputs },
                        .offset = s->offset,
                        .size = s->weights,
                        .penalised = true };
    p->deviation = sqrt(2 / (double)p->shape[1]);
    if (s->layer.kind == LAYER_CONV) {
        p->dims = 4;
        p->shape[1] = s->in.channels;
        p->shape[2] = p->shape[3] = s->layer.side;
    }
    snprintf(p->name, sizeof p->name, "%u.weight", s->module);
}

static void add_biases(struct layout *l, const struct stage *s)
{
    struct part *p = &l->parts[l->n++];
    *p = (struct part){ .dims = 1,
                        .shape = { s->biases },
                        .offset = s->offset + s->weights,
                        .size = s->biases };
    snprintf(p->name, sizeof p->name, "%u.bias", s->module);
}

static void layout_of(const struct plan *p, struct layout *l)
{
    for (const struct stage *s = p->stage; s < p->stage + p->n; s++) {
        if (s->weights > 0)
            add_weights(l, s);
        if (s->biases > 0)
            add_biases(l, s);
    }
    l->size = p->size;
}

static int mlp_layout(const void *conf, const struct dims *d, struct layout *l, struct err *e)
{
    struct plan p;
    if (mlp_plan(conf, d, &p, e) < 0)
        return -1;
    layout_of(&p, l);
    return 0;
}

static int cnn_layout(const void *conf, const struct dims *d, struct layout *l, struct err *e)
{
    struct plan p;
    if (cnn_plan(conf, d, &p, e) < 0)
        return -1;
    layout_of(&p, l);
    return 0;
}

static const struct param mlp_params[] = {
    { "hidden", set_dense, 0, NULL, "outputs of a hidden layer; again for one more" },
    { 0 },
};
static const struct param cnn_params[] = {
    { "conv", set_conv, 0, NULL, "CHANNELSxSIDE of a convolution; again for one more" },
    { "pool", set_pool, 0, "none", "side of the squares of which the largest value stays" },
    { "dense", set_dense, 0, "none", "outputs of a dense layer behind them" },
    { "input", set_input, offsetof(struct net_conf, input), "data",
      "shape of an image, HEIGHTxWIDTHxCHANNELS" },
    { 0 },
};

const struct model_ops model_mlp = {
    .plug = { .name = "mlp",
              .help = "dense layers with ReLU, then softmax",
              .params = mlp_params,
              .many = true,
              .conf = sizeof(struct net_conf) },
    .target = TARGET_MANY,
    .layout = mlp_layout,
};
const struct model_ops model_cnn = {
    .plug = { .name = "cnn",
              .help = "convolutions, pools and dense layers on images, then softmax",
              .params = cnn_params,
              .conf = sizeof(struct net_conf) },
    .target = TARGET_MANY,
    .layout = cnn_layout,
};
