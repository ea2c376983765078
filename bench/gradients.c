/* The least that training in one process costs: softmax gradients of one minibatch after the other, a
 * shard's after the other's, each subtracted from the parameters.
 * usage: gradients BATCH GRADIENTS SHARD...     (prints the last loss) */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "data/dataset.h"
#include "run/compute.h"

struct run {
    uint64_t batch, gradients;
    struct dataset *set; /* (n) */
    size_t n;
    struct compute *compute;
};

static int open_all(struct run *r, char **paths, struct err *e)
{
    static const struct input as_shards;
    static const struct log log = { .name = "gradients", .level = -1 };
    r->set = mem_new(r->n, sizeof *r->set, e);
    for (size_t i = 0; i < r->n; i++)
        if (r->set == NULL || dataset_read(&r->set[i], &paths[i], 1, &as_shards, 0, &log, e) < 0)
            return -1;
    char model[] = "softmax";
    struct welcome w = {
        .workers = r->n,
        .seed = 1,
        .batch = r->batch,
        .model = model,
        .features = r->set[0].features,
        .classes = r->set[0].classes,
        .bias = 1,
    };
    if ((r->compute = compute_empty(&w, e)) == NULL)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        if (compute_add(r->compute, &r->set[i], &w.classes, e) < 0)
            return -1;
    return 0;
}

static int loop(struct run *r, double *loss, struct err *e)
{
    const float step = 0.01F;
    float *w = compute_w(r->compute);
    size_t size = compute_size(r->compute);
    for (uint64_t i = 0; i < r->gradients; i++) {
        uint64_t rows;
        int more;
        if (compute_as(r->compute, i % r->n, i % r->n, e) < 0)
            return -1;
        compute_begin(r->compute, i / r->n);
        while ((more = compute_chunk(r->compute, e)) > 0)
            continue;
        if (more < 0)
            return -1;
        const float *g = compute_gradient(r->compute, &rows, loss);
        for (size_t k = 0; k < size; k++)
            w[k] -= step * g[k];
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct run r = { .n = argc > 3 ? (size_t)argc - 3 : 0 };
    struct err e = { 0 };
    double loss = 0;
    if (argc < 4 || num_whole(argv[1], &r.batch, &e) < 0 || num_whole(argv[2], &r.gradients, &e) < 0)
        return fprintf(stderr, "usage: gradients BATCH GRADIENTS SHARD...\n"), 2;
    if (open_all(&r, argv + 3, &e) == 0 && loop(&r, &loss, &e) == 0)
        printf("%.9g\n", loss);
    compute_close(r.compute);
    for (size_t i = 0; r.set != NULL && i < r.n; i++)
        dataset_free(&r.set[i]);
    free(r.set);
    return err_exit(&e, "gradients");
}
