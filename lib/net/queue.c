/* Frames that a socket did not take yet, in order; parameters among them can be replaced. */
#include "net/queue.h"

#include <stdlib.h>
#include <string.h>

/* A frame, or the rest of one: bytes of its own, then what it shares. There are few: lists are short. */
struct piece {
    struct piece *next;
    size_t own, n, sent; /* n: own bytes and shared ones */
    struct share *share; /* its last n - own bytes; or NULL */
    const unsigned char *shared;
    bool params;
    bool begun; /* some byte of the frame has gone out */
    unsigned char bytes[];
};

static void drop(struct piece *p)
{
    share_drop(p->share);
    free(p);
}

int queue_add(struct queue *q, const struct waiting *f, struct err *e)
{
    const size_t of_header = f->sent < FRAME_HEADER ? FRAME_HEADER - f->sent : 0;
    const size_t skip = f->sent < FRAME_HEADER ? 0 : f->sent - FRAME_HEADER, rest = f->n - skip;
    struct share *share = NULL;
    if (f->stock != NULL && rest > 0 &&
        (share = stock_share(f->stock, f->version, f->payload, f->n, skip, e)) == NULL)
        return -1;
    const size_t own = of_header + (share == NULL ? rest : 0);
    struct piece *p = malloc(sizeof *p + own), **at = &q->first;
    if (p == NULL) {
        share_drop(share);
        return err_memory(e);
    }
    *p = (struct piece){ .own = own, .n = of_header + rest, .share = share, .params = f->params, .begun = f->sent > 0 };
    memcpy(p->bytes, f->header + FRAME_HEADER - of_header, of_header);
    if (share != NULL)
        p->shared = share_bytes(share) + skip;
    else if (rest > 0)
        memcpy(p->bytes + of_header, (const unsigned char *)f->payload + skip, rest);
    while (*at != NULL)
        at = &(*at)->next;
    *at = p;
    q->bytes += p->n;
    return 0;
}

size_t queue_gather(const struct queue *q, struct iovec *v, size_t room)
{
    size_t n = 0;
    for (struct piece *p = q->first; p != NULL && n + 1 < room; p = p->next) {
        if (p->sent < p->own)
            v[n++] = (struct iovec){ p->bytes + p->sent, p->own - p->sent };
        const size_t at = p->sent > p->own ? p->sent - p->own : 0;
        if (p->n > p->own)
            v[n++] = (struct iovec){ (void *)(uintptr_t)(p->shared + at), p->n - p->own - at };
    }
    return n;
}

void queue_sent(struct queue *q, size_t n)
{
    q->bytes -= n;
    while (n > 0) {
        struct piece *p = q->first;
        size_t left = p->n - p->sent;
        if (n < left) {
            p->sent += n;
            p->begun = true;
            return;
        }
        n -= left;
        q->first = p->next;
        drop(p);
    }
}

bool queue_unsent(const struct queue *q)
{
    const struct piece *p = q->first;
    while (p != NULL && (!p->params || p->begun))
        p = p->next;
    return p != NULL;
}

int queue_drop_unsent(struct queue *q)
{
    struct piece **at = &q->first;
    while (*at != NULL && (!(*at)->params || (*at)->begun))
        at = &(*at)->next;
    struct piece *p = *at;
    if (p == NULL)
        return 0;
    *at = p->next;
    q->bytes -= p->n;
    drop(p);
    return 1;
}

void queue_free(struct queue *q)
{
    while (q->first != NULL) {
        struct piece *p = q->first;
        q->first = p->next;
        drop(p);
    }
    q->bytes = 0;
}
