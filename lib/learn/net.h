/* Networks as a plan: a chain of layers, the shapes between them, and where each keeps its parameters.
 * Known to all programs; what computes with a plan is in net_engine.c. */
#ifndef LEARN_NET_H
#define LEARN_NET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "learn/model.h"

/* Two parts a layer with parameters, the last one included: LAYOUT_PARTS hold them all. */
enum { NET_LAYERS = 16 };

enum layer_kind {
    LAYER_CONV,  /* convolution, then ReLU */
    LAYER_POOL,  /* largest of each square */
    LAYER_DENSE, /* product with all inputs; then ReLU, but for the last */
};

/* A layer as the SPEC has it. */
struct layer {
    enum layer_kind kind;
    uint32_t outputs; /* channels of a convolution, outputs of a dense layer */
    uint32_t side;    /* of a convolution's or a pool's square */
};

/* What the SPECs of mlp and cnn fill; without pointers, as confs are compared byte by byte. */
struct net_conf {
    uint64_t n; /* layers, without the last */
    struct layer layer[NET_LAYERS - 1];
    struct image input; /* as given; all 0: as the data say */
};

/* What goes from layer to layer: (channels, height, width); behind a dense layer (channels, 1, 1). */
struct volume {
    uint64_t channels, height, width;
};

/* A layer in its place. Weights (outputs, inputs) or (channels, channels before, side, side) stand at
 * `offset` of the flat parameters, biases (outputs) right behind them. */
struct stage {
    struct layer layer;
    struct volume in, out;
    size_t offset;
    size_t weights, biases; /* how many, 0: none */
    unsigned module;        /* its number where frameworks count ReLU and the like as well */
};

struct plan {
    struct volume in;
    size_t n;
    struct stage stage[NET_LAYERS];
    size_t size; /* parameters in all */
};

uint64_t volume_size(const struct volume *v);

/* The plans of mlp and cnn for such data; conf is a struct net_conf. ERR_DATA. */
int mlp_plan(const void *conf, const struct dims *d, struct plan *p, struct err *e);
int cnn_plan(const void *conf, const struct dims *d, struct plan *p, struct err *e);

extern const struct model_ops model_mlp, model_cnn;

#endif
