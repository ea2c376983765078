/* What waits for sockets: one copy of parameters for all that wait for the same, and buffers that are used again. */
#include <string.h>

#include "net/queue.h"

#include "lib/tap.h"

enum { SIZE = 1000 };

static int add(struct queue *q, struct stock *stock, const unsigned char *data, uint64_t version, size_t sent)
{
    struct err e = { 0 };
    struct waiting f = { .payload = data, .n = SIZE, .sent = sent, .stock = stock, .version = version, .params = true };
    memset(f.header, 'h', sizeof f.header);
    return queue_add(q, &f, &e);
}

/* Where the payload waits, counted from its byte 0. */
static const unsigned char *payload(const struct queue *q, size_t sent)
{
    struct iovec v[8];
    const size_t n = queue_gather(q, v, 8);
    return (const unsigned char *)v[n - 1].iov_base - (sent < FRAME_HEADER ? 0 : sent - FRAME_HEADER);
}

/* All that is in q, taken so many bytes at a time, is the end of header and data. */
static bool drains(struct queue *q, const unsigned char *data, size_t sent, size_t step)
{
    unsigned char all[FRAME_HEADER + SIZE], got[FRAME_HEADER + SIZE];
    size_t n = 0;
    memset(all, 'h', FRAME_HEADER);
    memcpy(all + FRAME_HEADER, data, SIZE);
    while (q->bytes > 0) {
        struct iovec v[8];
        const size_t pieces = queue_gather(q, v, 8);
        size_t left = step;
        for (size_t i = 0; i < pieces && left > 0; i++) {
            const size_t k = v[i].iov_len < left ? v[i].iov_len : left;
            memcpy(got + n, v[i].iov_base, k);
            n += k;
            left -= k;
        }
        queue_sent(q, step - left);
    }
    return n == sizeof all - sent && memcmp(got, all + sent, n) == 0;
}

static void shared(void)
{
    struct stock stock = { 0 };
    struct queue a = { 0 }, b = { 0 }, c = { 0 };
    unsigned char data[SIZE], next[SIZE];
    for (size_t i = 0; i < SIZE; i++) {
        data[i] = (unsigned char)(i * 7);
        next[i] = (unsigned char)(i * 11 + 3);
    }
    ok(add(&a, &stock, data, 1, 900) == 0 && add(&b, &stock, data, 1, 100) == 0 && add(&c, &stock, data, 1, 7) == 0 &&
           payload(&a, 900) == payload(&b, 100) && payload(&a, 900) == payload(&c, 7),
       "three that wait for the same version have one copy, whatever of it each has had");
    const unsigned char *first = payload(&a, 900);
    ok(drains(&a, data, 900, 1), "the rest of one, byte by byte");
    ok(drains(&b, data, 100, 64), "the rest of another, which needed more of it");
    ok(add(&b, &stock, next, 2, 50) == 0 && payload(&b, 50) != first, "another version is another copy");
    const unsigned char *second = payload(&b, 50);
    ok(drains(&c, data, 7, 33) && drains(&b, next, 50, 333), "each is what it was when it was put in");
    ok(add(&a, &stock, data, 3, 40) == 0 && (payload(&a, 40) == first || payload(&a, 40) == second),
       "a buffer that nobody waits for is used again");
    ok(queue_drop_unsent(&a) == 0 && drains(&a, data, 40, 500), "what has begun is not replaced");
    ok(add(&a, &stock, data, 4, 0) == 0 && queue_unsent(&a) && queue_drop_unsent(&a) == 1 && a.bytes == 0,
       "what has not can be");
    ok(add(&a, &stock, data, 5, FRAME_HEADER + SIZE - 1) == 0 && a.bytes == 1, "a last byte");
    queue_free(&a);
    ok(add(&a, NULL, data, 6, 20) == 0 && drains(&a, data, 20, 77), "without a stock it is copied alone");
    stock_close(&stock);
}

int main(void)
{
    shared();
    return tap_done();
}
