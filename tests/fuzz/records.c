/* Records: any bytes as a stream of safetensors records, and each as a shard and as a model. */
#include <unistd.h>

#include "base/record.h"
#include "data/shard.h"
#include "fuzz.h"
#include "learn/model.h"

/* Every tensor lies within what was read. */
static void use(const struct record *r)
{
    volatile unsigned char last = 0;
    for (size_t i = 0; i < r->n; i++) {
        size_t bytes = dtype_size(r->tensors[i].dtype);
        for (unsigned k = 0; k < r->tensors[i].dims; k++)
            bytes *= r->tensors[i].shape[k];
        if (bytes > 0)
            last = ((const unsigned char *)r->tensors[i].data)[bytes - 1];
    }
    (void)last;
}

static void as_model(const struct record *r)
{
    struct model m = { 0 };
    struct err e = { 0 };
    if (model_read(&m, r, &e) == 0)
        promise(m.w != NULL);
    model_free(&m);
}

/* Takes the record. */
static void as_shard(struct record *r)
{
    struct shard s = { .record = *r };
    struct err e = { 0 };
    if (shard_take(&s, &e) == 0) {
        promise(s.rows.n > 0);
        shard_verify(&s, &e);
    }
    shard_free(&s);
}

static void as_map(int fd)
{
    struct record r = { 0 };
    struct err e = { 0 };
    if (record_map(&r, fd, &e) == 0)
        use(&r);
    record_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct memory_file file;
    struct record r = { 0 };
    struct err e = { 0 };
    memory_file(&file, data, n);
    as_map(file.fd);
    lseek(file.fd, 0, SEEK_SET);
    while (record_read(&r, file.fd, &e) > 0) {
        use(&r);
        as_model(&r);
        as_shard(&r);
        r = (struct record){ 0 };
    }
    return 0;
}
