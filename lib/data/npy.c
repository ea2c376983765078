/* An array of NumPy's in a file of its own. */
#include "data/format.h"
#include "data/labelled.h"

static int npy_bid(const struct source *s)
{
    return array_npy.bid(s->head, s->head_n) ? BID_MAGIC : BID_NO;
}

const struct format format_npy = {
    .plug = { .name = "npy", .help = "an array of NumPy's, a row each along its first dimension" },
    .bid = npy_bid,
    .open = labelled_open,
    .next = labelled_next,
    .close = labelled_close,
    .meta = labelled_meta,
};
