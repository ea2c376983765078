/* The table of formats, and the choice among them. */
#include "data/format.h"

#include <string.h>

static int no_bid(const struct source *s)
{
    (void)s;
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

bool format_is_table(const char *name)
{
    for (size_t i = 0; name != NULL && rows[i] != NULL; i++)
        if (strcmp(rows[i]->name, name) == 0)
            return ((const struct format *)rows[i])->table;
    return false;
}

/* What stands between columns, where it is neither a comma nor a tab: then a text is CSV. */
static const char *separator_of(const struct input *in)
{
    return in->separator ? in->separator : json_string_value(json_object_get(in->like, "separator"));
}

bool format_told(const struct input *in)
{
    return in->format.plug != NULL && in->format.plug != &format_auto.plug;
}

const struct format *format_choose(const struct input *in, const struct source *s, struct err *e)
{
    const struct format *best = &format_auto;
    int highest = BID_NO;
    if (format_told(in))
        return (const struct format *)in->format.plug;
    for (const struct plug *const *row = rows; *row; row++) {
        const struct format *f = (const struct format *)*row;
        int bid = f->bid(s);
        if (bid > highest) {
            highest = bid;
            best = f;
        }
    }
    if (highest < BID_MAGIC && separator_of(in) != NULL)
        return &format_csv;
    if (highest > BID_NO)
        return best;
    err_set(e, ERR_DATA,
            "%s: no known format (it begins with bytes %02x %02x); --format=help lists them", s->name,
            s->head_n > 0 ? s->head[0] : 0u, s->head_n > 1 ? s->head[1] : 0u);
    return NULL;
}
