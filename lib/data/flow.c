/* Bytes that come from somewhere, and a look at the first of them. */
#include "data/flow.h"

#include <string.h>

int flow_peek(struct flow_peek *p, struct flow below, struct err *e)
{
    size_t got = 1;
    p->below = below;
    p->n = p->at = 0;
    while (p->n < FLOW_HEAD && got > 0) {
        if (flow_get(&below, p->head + p->n, FLOW_HEAD - p->n, &got, e) < 0)
            return -1;
        p->n += got;
    }
    return 0;
}

int flow_peek_read(void *self, unsigned char *to, size_t room, size_t *got, struct err *e)
{
    struct flow_peek *p = self;
    if (p->at == p->n)
        return p->n < FLOW_HEAD ? (*got = 0, 0) : flow_get(&p->below, to, room, got, e);
    *got = p->n - p->at < room ? p->n - p->at : room;
    memcpy(to, p->head + p->at, *got);
    p->at += *got;
    return 0;
}

int flow_zeros(const struct flow *f, unsigned char *block, size_t room, size_t from, size_t n, bool *zeros,
               struct err *e)
{
    size_t got = 1;
    *zeros = true;
    while (*zeros && got > 0) {
        for (; from < n && *zeros; from++)
            *zeros = block[from] == 0;
        if (*zeros && flow_get(f, block, room, &got, e) < 0)
            return -1;
        from = 0;
        n = got;
    }
    return 0;
}

int flow_limit_read(void *self, unsigned char *to, size_t room, size_t *got, struct err *e)
{
    struct flow_limit *l = self;
    if (flow_get(&l->below, to, room, got, e) < 0)
        return -1;
    l->given += (double)*got;
    double most = l->ratio * (double)*l->fed + FLOW_SLACK;
    if (l->given <= most)
        return 0;
    return err_set(e, ERR_DATA,
                   "unpacks to more than %g times its size (%.0f bytes out of %.0f): --max-ratio allows more",
                   l->ratio, l->given, (double)*l->fed);
}
