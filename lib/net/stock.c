/* Copies of parameters that wait in queues: one for all connections that wait for the same, and buffers that stay. */
#include "net/stock.h"

#include <stdlib.h>
#include <string.h>

struct share {
    struct share *next; /* idle */
    struct stock *stock;
    unsigned refs; /* the stock's own among them */
    uint64_t version;
    size_t room, n, from; /* bytes from .. n are copied */
    unsigned char bytes[];
};

/* One that is large enough; those that are not go. */
static struct share *take_idle(struct stock *s, size_t n)
{
    while (s->idle != NULL) {
        struct share *one = s->idle;
        s->idle = one->next;
        if (one->room >= n)
            return one;
        free(one);
    }
    return NULL;
}

static struct share *begin(struct stock *s, uint64_t version, size_t n, struct err *e)
{
    share_drop(s->now);
    struct share *one = s->now = take_idle(s, n);
    const size_t room = one != NULL ? one->room : n;
    if (one == NULL && (one = malloc(sizeof *one + n)) == NULL) {
        err_memory(e);
        return NULL;
    }
    *one = (struct share){ .stock = s, .refs = 1, .version = version, .room = room, .n = n, .from = n };
    return s->now = one;
}

struct share *stock_share(struct stock *s, uint64_t version, const void *data, size_t n, size_t skip, struct err *e)
{
    struct share *one = s->now;
    if ((one == NULL || one->version != version || one->n != n) && (one = begin(s, version, n, e)) == NULL)
        return NULL;
    if (skip < one->from) {
        memcpy(one->bytes + skip, (const unsigned char *)data + skip, one->from - skip);
        one->from = skip;
    }
    one->refs++;
    return one;
}

const unsigned char *share_bytes(const struct share *s)
{
    return s->bytes;
}

void share_drop(struct share *s)
{
    if (s == NULL || --s->refs > 0)
        return;
    s->next = s->stock->idle;
    s->stock->idle = s;
}

void stock_close(struct stock *s)
{
    share_drop(s->now);
    take_idle(s, SIZE_MAX);
    *s = (struct stock){ 0 };
}
