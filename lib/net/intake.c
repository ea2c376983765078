/* What came of a frame so far, read with as few calls as can be. */
#include "net/intake.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool intake_kept(const struct intake *i)
{
    return i->kept_at < i->kept_n;
}

/* What was kept comes before what the link has. */
static ssize_t pull(struct intake *i, struct link *l, struct iovec *v, int n)
{
    size_t all = 0;
    if (!intake_kept(i))
        return l->ops->read(l, v, n);
    for (; n > 0 && i->kept_at < i->kept_n; v++, n--) {
        size_t left = i->kept_n - i->kept_at, k = v->iov_len < left ? v->iov_len : left;
        if (k > 0)
            memcpy(v->iov_base, i->kept + i->kept_at, k);
        i->kept_at += k;
        all += k;
    }
    l->more = true;
    return (ssize_t)all;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static ssize_t read_on(struct intake *i, struct link *l)
{
    size_t rest = i->receiving ? i->room - i->got : 0;
    size_t behind = i->receiving && i->room < i->f.length ? 0 : FRAME_HEADER - i->have;
    struct iovec v[2] = { { rest > 0 ? i->payload + i->got : NULL, rest },
                          { i->header + i->have, behind } };
    ssize_t n = pull(i, l, rest > 0 ? v : v + 1, rest > 0 ? 2 : 1);
    if (n <= 0)
        return n;
    size_t of_payload = least((size_t)n, rest);
    i->got += of_payload;
    i->have += (size_t)n - of_payload;
    return n;
}

ssize_t intake_read(struct intake *i, struct link *l, unsigned char *ahead, size_t room)
{
    i->beyond = i->after = 0;
    if (i->receiving || ahead == NULL)
        return read_on(i, l);
    struct iovec v[3] = { { i->header + i->have, FRAME_HEADER - i->have },
                          { ahead, room },
                          { i->next, FRAME_HEADER } };
    ssize_t n = pull(i, l, v, 3);
    if (n <= 0)
        return n;
    size_t left = (size_t)n - least((size_t)n, v[0].iov_len);
    i->have += least((size_t)n, v[0].iov_len);
    i->ahead = ahead;
    i->beyond = least(left, room);
    i->after = left - i->beyond;
    return n;
}

/* Bytes of later frames: from `done` on behind the header, then what came behind those, before what is kept
 * already. */
static int keep(struct intake *i, size_t done, struct err *e)
{
    size_t old = i->kept_n - i->kept_at, first = i->beyond - done, n = first + i->after;
    if (n == 0)
        return 0;
    unsigned char *all = mem_new(n + old, 1, e);
    if (all == NULL)
        return -1;
    memcpy(all, i->ahead + done, first);
    memcpy(all + first, i->next, i->after);
    if (old > 0)
        memcpy(all + n, i->kept + i->kept_at, old);
    free(i->kept);
    i->kept = all;
    i->kept_at = 0;
    i->kept_n = n + old;
    return 0;
}

int intake_begin(struct intake *i, unsigned char *payload, struct err *e)
{
    i->have = 0;
    i->payload = payload;
    i->got = payload == i->ahead ? least(i->beyond, i->room) : 0;
    i->receiving = true;
    int rc = keep(i, i->got, e);
    i->beyond = i->after = 0;
    return rc;
}

void intake_free(struct intake *i)
{
    free(i->kept);
    i->kept = NULL;
    i->kept_at = i->kept_n = i->beyond = i->after = 0;
}
