/* A flow, kept in a temporary file. */
#include "data/spool.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/block.h"
#include "base/mem.h"
#include "base/temp.h"

enum { BLOCK = BLOCK_SIZE(1 << 18, 256) };

static int copy(const struct flow *from, struct temp *to, struct err *e)
{
    unsigned char *block = mem_new(BLOCK, 1, e);
    size_t got = 1;
    int status = block == NULL ? -1 : temp_open(to, e);
    while (status == 0 && got > 0) {
        status = flow_get(from, block, BLOCK, &got, e);
        if (status == 0)
            status = temp_append(to, block, got, e);
    }
    free(block);
    return status;
}

int spool_open(const struct flow *from, struct err *e)
{
    struct temp file = { 0 };
    if (copy(from, &file, e) < 0) {
        temp_close(&file);
        return -1;
    }
    lseek(file.fd, 0, SEEK_SET);
    return file.fd;
}
