/* The table of formats, and the choice among them. */
#include "data/format.h"

#include <string.h>

static int no_bid(const unsigned char *head, size_t n)
{
    (void)head, (void)n;
    return BID_NO;
}

static const struct format format_auto = {
    .plug = { .name = "auto", .help = "known by the first bytes" },
    .bid = no_bid,
};

#define FORMAT(name) extern const struct format format_##name;
#include "data/format.def"
#undef FORMAT

#define FORMAT(name) &format_##name.plug,
static const struct plug *const rows[] = {
    &format_auto.plug,
#include "data/format.def"
    NULL,
};
#undef FORMAT

const struct table format_table = { "format", rows };

const struct format *format_choose(const struct input *in, const char *name,
                                   const unsigned char *head, size_t n, struct err *e)
{
    const struct format *best = &format_auto;
    int highest = BID_NO;
    if (in->format.plug != NULL && in->format.plug != &format_auto.plug)
        return (const struct format *)in->format.plug;
    for (const struct plug *const *row = rows; *row; row++) {
        const struct format *f = (const struct format *)*row;
        int bid = f->bid(head, n);
        if (bid > highest) {
            highest = bid;
            best = f;
        }
    }
    if (highest > BID_NO)
        return best;
    err_set(e, ERR_DATA,
            "%s: no known format (it begins with bytes %02x %02x); --format=help lists them", name,
            n > 0 ? head[0] : 0u, n > 1 ? head[1] : 0u);
    return NULL;
}
