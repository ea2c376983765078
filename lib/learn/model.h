/* What a model is: its parameters and its targets. Known to all programs; what computes with it is
 * in gradient.h, only for those that do. */
#ifndef LEARN_MODEL_H
#define LEARN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/classes.h"
#include "base/err.h"
#include "base/plug.h"
#include "base/record.h"

/* Shape of a row that is an image; its features stand plane by plane: (channels, height, width). */
struct image {
    uint64_t height, width, channels; /* all 0: the rows are no images */
};
enum { IMAGE_MAX = 65535 };

/* What the data decide. */
struct dims {
    uint64_t features; /* d */
    uint64_t classes;  /* distinct labels; 0 for targets */
    bool bias;
    struct image image;
};

/* From the data's [height, width, channels], as shards say it; NULL or null: none. ERR_DATA. */
int image_parse(struct image *i, const json_t *shape, struct err *e);

/* One tensor of the flat parameter array. */
struct part {
    char name[TENSOR_NAME]; /* "weight", "2.weight" */
    unsigned dims;
    size_t shape[TENSOR_DIMS];
    size_t offset, size; /* in floats */
    bool penalised;      /* by --l2: weights, not biases (COMMANDS, Objective) */
    double deviation;    /* of the normal values that it starts with; 0: it starts at 0 */
};
enum { LAYOUT_PARTS = 1024 };
struct layout {
    struct part parts[LAYOUT_PARTS];
    size_t n;
    size_t size;        /* floats in all */
    const float *start; /* (size): what the model starts from, not owned; NULL: as its parts say */
};

/* Tensors with names that begin so are not parameters: a program that computes gradients gets its rows in them. */
#define LAYOUT_RESERVED "minibatch."

/* One tensor more, behind the others; weights are those of two dimensions or more. ERR_DATA. */
int layout_add(struct layout *l, const char *name, unsigned dims, const size_t *shape, struct err *e);
/* The tensors of a record, all of them F32, in its order, or those that its metadata name; as JSON, an array of
 * [name, [size, ...]]; and from there. ERR_DATA. */
int layout_of_record(struct layout *l, const struct record *r, struct err *e);
/* Their values, l->size floats, all finite, to be free()d; NULL and e. ERR_DATA: they are not as in the layout. */
float *layout_values(const struct layout *l, const struct record *r, struct err *e);
json_t *layout_json(const struct layout *l); /* a new reference */
int layout_parse(struct layout *l, const json_t *v, struct err *e);

enum target {
    TARGET_REAL, /* any finite number */
    TARGET_TWO,  /* two classes: the larger is positive */
    TARGET_MANY, /* two classes or more */
    TARGET_ANY,  /* any labels: what they mean is not known here */
};

struct model_ops {
    struct plug plug;
    enum target target;
    /* Reads what the SPEC names, before `layout` is asked, where the parameters are kept; NULL: nothing. Those
     * who only take part are told the layout. */
    int (*load)(void *conf, struct err *e);
    int (*layout)(const void *conf, const struct dims *d, struct layout *l, struct err *e);
};

extern const struct table model_table;
static inline const struct model_ops *model_row(const struct spec *s)
{
    return (const struct model_ops *)s->plug;
}

/* Whether the labels suit the model: ERR_DATA names the label and where it was seen. A set with fewer
 * labels than the model needs passes when `partial` (others may come). */
int model_fits(const struct spec *model, const struct classes *c, bool partial, struct err *e);

/* Reads the file that the SPEC names, if it does: to be called before model_layout. ERR_DATA, ERR_SYSTEM. */
int model_load(const struct spec *model, struct err *e);
/* Whether its tensors are known to those alone who read that file, and must be told to all others. */
bool model_told(const struct spec *model);
int model_layout(const struct spec *model, const struct dims *d, struct layout *l, struct err *e);

/* ERR_SYSTEM when so many copies of the parameters, as gradients are, too, do not fit into this machine. */
int layout_fits(const struct layout *l, uint64_t copies, struct err *e);

/* Start parameters by --init: as the model asks (`model`, also when none was given), `zero` or
 * `normal:0.01`, from stream RNG_START, or those of a model's file. ERR_DATA: they do not fit. */
extern const struct table init_table;
int init_fill(const struct spec *init, const struct layout *l, uint64_t seed, float *w, struct err *e);
/* Checksum of start parameters that come from a file; false: they do not. */
bool init_crc(const struct spec *init, uint32_t *crc);
/* A SPEC of the table, or the file itself. A setter for option rows: target is a struct spec. */
int init_parse(void *target, const char *text, struct err *e);

/* The record of a model or snapshot: tensors as the layout has them, from w. */
size_t model_tensors(const struct layout *l, const float *w, struct tensor *tensors);

/* A model read back. Zeroed before use. w is owned. */
struct model {
    struct spec spec;
    struct dims dims;
    struct layout layout;
    struct classes classes;
    float *w;
    uint64_t iteration;
    double time;
    json_t *meta; /* all of its metadata; owned */
};
/* From a record; ERR_DATA when it is no model of ours or its tensors do not fit its SPEC. */
int model_read(struct model *m, const struct record *r, struct err *e);
void model_free(struct model *m);

/* Metadata that model_read needs: model, features, classes, bias, iteration, time. */
int model_meta(json_t *meta, const struct spec *model, const struct dims *d, const struct classes *c,
               uint64_t iteration, double time, struct err *e);

#endif
