/* A flow, kept in a temporary file. */
#include "data/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum { BLOCK = 1 << 18 };

static int refused(struct err *e)
{
    return err_sys(e, "temporary copy");
}

static int copy(const struct flow *from, FILE *to, struct err *e)
{
    unsigned char *block = mem_new(BLOCK, 1, e);
    size_t got = 1;
    int status = block == NULL ? -1 : 0;
    while (status == 0 && got > 0) {
        status = flow_get(from, block, BLOCK, &got, e);
        if (status == 0 && fwrite(block, 1, got, to) != got)
            status = refused(e);
    }
    free(block);
    if (status == 0 && fflush(to) != 0)
        return refused(e);
    return status;
}

int spool_open(const struct flow *from, struct err *e)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return refused(e);
    int fd = -1;
    if (copy(from, file, e) == 0) {
        fd = dup(fileno(file));
        if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
            refused(e);
    }
    fclose(file);
    return fd;
}
