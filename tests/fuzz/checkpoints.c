/* Checkpoints: any bytes as what --resume reads. */
#include "fuzz.h"
#include "run/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct memory_file file;
    struct checkpoint c = { 0 };
    struct err e = { 0 };
    memory_file(&file, data, n);
    if (checkpoint_read(&c, file.path, &e) > 0) {
        promise(c.workers > 0 && c.state.w != NULL && c.run != NULL);
        checkpoint_free(&c);
    }
    return 0;
}
