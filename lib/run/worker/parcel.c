/* What a worker sends and takes as entries where that is less. */
#include "run/worker/parcel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "run/packed.h"

enum { BASE = 8 /* bytes of the version that a change is of */ };

void parcel_free(struct parcel *p)
{
    free(p->bytes);
    *p = (struct parcel){ 0 };
}

int parcel_push(struct parcel *p, struct channel *c, const struct frame *f, struct work *work, struct compute *compute,
                bool sparse, struct err *e)
{
    struct frame out = *f;
    const struct entries g = compute_entries(compute, &work->rows, &work->loss);
    const size_t size = compute_size(compute);
    const bool some = sparse && g.index != NULL && packed_pays(g.n, size);
    const size_t indices = some ? g.n * sizeof *g.index : 0;
    if (mem_grow(&p->bytes, &p->cap, FRAME_WORK + indices, 1, e) < 0)
        return -1;
    work_encode(p->bytes, work);
    if (!some)
        return channel_send(c, &out, p->bytes, FRAME_WORK, compute_spread(compute), size * sizeof(float), e);
    memcpy(p->bytes + FRAME_WORK, g.index, indices);
    out.flags = GRAD_SPARSE;
    return channel_send(c, &out, p->bytes, FRAME_WORK + indices, g.value, g.n * sizeof *g.value, e);
}

static int take_all(struct channel *c, const struct frame *f, struct compute *compute, struct err *e)
{
    const size_t bytes = compute_size(compute) * sizeof(float);
    if (f->length != bytes)
        return err_set(e, ERR_PEER, "parameters of %" PRIu64 " bytes, the model here has %zu",
                       f->length, bytes);
    return channel_read(c, compute_w(compute), bytes, e);
}

/* The parameters that are others than those here. */
static int take_changes(struct parcel *p, struct channel *c, const struct frame *f, struct compute *compute,
                        struct err *e)
{
    const size_t size = compute_size(compute);
    struct entries g;
    if (f->length < BASE || f->length > BASE + size * sizeof(float))
        return err_set(e, ERR_PEER, "changes of %" PRIu64 " bytes, the model here has %zu", f->length,
                       size * sizeof(float));
    if (mem_grow(&p->bytes, &p->cap, (size_t)f->length, 1, e) < 0 ||
        channel_read(c, p->bytes, (size_t)f->length, e) < 0 ||
        packed_read(&g, p->bytes + BASE, (size_t)f->length - BASE, size, e) < 0)
        return -1;
    if (!p->holds || get_u64(p->bytes) != p->held)
        return err_set(e, ERR_PEER, "changes of version %" PRIu64 ", which is not here", get_u64(p->bytes));
    float *w = compute_w(compute);
    for (size_t k = 0; k < g.n; k++)
        w[g.index[k]] = g.value[k];
    return 0;
}

int parcel_take(struct parcel *p, struct channel *c, const struct frame *f, struct compute *compute, struct err *e)
{
    if (f->flags & PARAMS_SAME) {
        if (f->length == 0 && p->holds && p->held == f->version)
            return 0;
        return err_set(e, ERR_PEER, "the server never sent version %" PRIu64, f->version);
    }
    if ((f->flags & PARAMS_DELTA ? take_changes(p, c, f, compute, e) : take_all(c, f, compute, e)) < 0)
        return -1;
    p->held = f->version;
    p->holds = true;
    return 0;
}
