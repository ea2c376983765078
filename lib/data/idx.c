/* IDX, the format of MNIST. */
#include "data/format.h"
#include "data/labelled.h"

static int idx_bid(const struct source *s)
{
    return array_idx.bid(s->head, s->head_n) ? BID_MAGIC : BID_NO;
}

const struct format format_idx = {
    .plug = { .name = "idx", .help = "images of MNIST and its kin; bytes count 1/255" },
    .bid = idx_bid,
    .open = labelled_open,
    .next = labelled_next,
    .close = labelled_close,
    .meta = labelled_meta,
};
