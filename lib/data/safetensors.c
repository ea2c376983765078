/* Our own shards as input: dataset.c maps them or reads them whole; no reader of rows is needed. */
#include "data/format.h"
#include "data/shard.h"

static int safetensors_bid(const struct source *s)
{
    return shard_bid(s->head, s->head_n) ? BID_MAGIC : BID_NO;
}

const struct format format_safetensors = {
    .plug = { .name = "safetensors", .help = "shards as dsgd-shard writes them" },
    .bid = safetensors_bid,
};
