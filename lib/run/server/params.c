/* Parameters on their way to a worker: all of them, none that it holds already, or what changed since those. */
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "run/packed.h"
#include "run/server/state.h"

enum { BASE = 8 /* bytes of the version that a change is of */ };

/* What changed since the version that the worker holds goes to s->packed. Returns its bytes; 0: all are to be sent. */
static size_t pack(struct server *s, const struct held_version *held, uint64_t version)
{
    size_t n = 0;
    struct err no_memory = { 0 };
    const uint32_t *index = NULL;
    if (held->some && version == aggregate_iteration(s->aggregate))
        index = aggregate_changes(s->aggregate, held->version, &n);
    if (index == NULL || !packed_pays(n + 1, s->shape.layout.size) ||
        mem_grow(&s->packed, &s->packed_cap, BASE + n * PACKED_ENTRY, 1, &no_memory) < 0)
        return 0;
    const float *w = aggregate_w(s->aggregate);
    unsigned char *values = s->packed + BASE + n * sizeof *index;
    put_u64(s->packed, held->version);
    memcpy(s->packed + BASE, index, n * sizeof *index);
    for (size_t k = 0; k < n; k++)
        memcpy(values + k * sizeof *w, &w[index[k]], sizeof *w);
    return BASE + n * PACKED_ENTRY;
}

int peer_send_params(struct peer *p, uint64_t version, uint64_t seq, bool again)
{
    struct server *s = p->server;
    struct err e = { 0 };
    struct frame f = { .type = FRAME_PARAMS, .version = version, .seq = seq };
    if (conn_replaces(p->conn))
        p->holds = p->held_before; /* what is replaced never gets there */
    const size_t some = again || !p->hello.sparse ? 0 : pack(s, &p->holds, version);
    const size_t all = again ? 0 : s->shape.layout.size * sizeof(float);
    f.flags = again ? PARAMS_SAME : some > 0 ? PARAMS_DELTA : PARAMS_FULL;
    const void *data = some > 0 ? (const void *)s->packed : aggregate_w(s->aggregate);
    int replaced = conn_params(p->conn, &f, data, some > 0 ? some : all, some > 0 ? NULL : &s->stock, &e);
    if (replaced < 0)
        server_end(s, "failed", &e);
    p->held_before = p->holds;
    p->holds = (struct held_version){ true, version };
    return replaced == 1;
}
