/* What worker and server tell each other before the first parameters: JSON of HELLO and WELCOME
 * (dsgd-protocol(7)). */
#ifndef RUN_HELLO_H
#define RUN_HELLO_H

#include <jansson.h>
#include <stdint.h>

#include "base/classes.h"
#include "base/err.h"

enum { RANK_ANY = -1 };

/* Zeroed before use; hello_free at the end. Texts are owned. */
struct hello {
    char *program;  /* version of the program: "0.1.0" */
    char *name;     /* host:pid, for messages */
    int64_t rank;   /* or RANK_ANY */
    int back;       /* it was in the run before, at that rank, and lost its connection */
    char *run;      /* --run, or "" */
    char *kernel, *blas;
    uint64_t rows, features;
    struct classes classes;
    int sparse;     /* it takes changes of parameters, and sends gradients, as entries where the server does */
    json_t *data;   /* dataset's meta: format, base, scale ... */
    json_t *shards; /* array of {file, rows, crc32} */
};
char *hello_text(const struct hello *h, struct err *e); /* JSON; free() it */
int hello_parse(struct hello *h, const char *json, size_t n, struct err *e);
void hello_free(struct hello *h);

struct welcome {
    uint64_t rank, workers, seed, batch;
    char *model; /* SPEC */
    uint64_t features;
    struct classes classes;
    int bias;
    json_t *shape;  /* of images: [height, width, channels]; or NULL */
    json_t *tensors; /* of a model that only its file describes: [[name, [size, ...]], ...]; or NULL */
    int sparse;     /* gradients may come as entries */
    double timeout; /* --worker-timeout, seconds; heartbeats come and go every sixth of it */
};
char *welcome_text(const struct welcome *w, struct err *e);
int welcome_parse(struct welcome *w, const char *json, size_t n, struct err *e);
void welcome_free(struct welcome *w);

#endif
