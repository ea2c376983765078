/* Frames that a socket did not take yet, in order; parameters among them can be replaced. */
#include "net/queue.h"

#include <stdlib.h>
#include <string.h>

#include "net/frame.h"

/* A frame, or the rest of one. There are few: lists are short. */
struct piece {
    struct piece *next;
    size_t n, sent;
    bool params;
    bool begun; /* some byte of the frame has gone out */
    unsigned char bytes[];
};

int queue_add(struct queue *q, const unsigned char *header, const void *payload, size_t n,
              size_t sent, bool params, struct err *e)
{
    size_t of_header = sent < FRAME_HEADER ? FRAME_HEADER - sent : 0;
    size_t skip = sent < FRAME_HEADER ? 0 : sent - FRAME_HEADER;
    struct piece *p = malloc(sizeof *p + of_header + n - skip), **at = &q->first;
    if (p == NULL)
        return err_memory(e);
    *p = (struct piece){ .n = of_header + n - skip, .params = params, .begun = sent > 0 };
    memcpy(p->bytes, header + FRAME_HEADER - of_header, of_header);
    if (n > skip)
        memcpy(p->bytes + of_header, (const unsigned char *)payload + skip, n - skip);
    while (*at != NULL)
        at = &(*at)->next;
    *at = p;
    q->bytes += p->n;
    return 0;
}

size_t queue_gather(const struct queue *q, struct iovec *v, size_t room)
{
    size_t n = 0;
    for (struct piece *p = q->first; p != NULL && n < room; p = p->next)
        v[n++] = (struct iovec){ p->bytes + p->sent, p->n - p->sent };
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
        free(p);
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
    free(p);
    return 1;
}

void queue_free(struct queue *q)
{
    while (q->first != NULL) {
        struct piece *p = q->first;
        q->first = p->next;
        free(p);
    }
    q->bytes = 0;
}
