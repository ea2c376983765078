/* Who has which law of delays. */
#include "delay/delays.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A text that starts like a worker's number has a range. */
static int check_range(const char *text, struct err *e)
{
    bool digit = *text >= '0' && *text <= '9';
    if (!digit || text[strspn(text, "0123456789,-")] == '=')
        return 0;
    return err_set(e, ERR_USAGE, "'%.20s': workers are N or N-M, with commas between", text);
}

static int read_text(struct delays *d, struct ranges *r, const char *text, struct err *e)
{
    size_t law = d->laws++;
    if (check_range(text, e) < 0)
        return -1;
    const char *spec = ranges_take(r, text, law, e);
    return spec == NULL ? -1 : spec_parse(&d->law[law].law, &delay_table, spec, e);
}

/* Counts who has which law. */
static int settle(struct delays *d, struct ranges *r, struct err *e)
{
    if (ranges_settle(r, e) < 0)
        return -1;
    d->range = r->v;
    d->ranges = r->n;
    for (size_t i = 0; i < d->ranges; i++)
        d->law[d->range[i].of].workers += d->range[i].last - d->range[i].first + 1;
    return 0;
}

static void drop_unused(struct delays *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->laws; i++) {
        for (size_t k = 0; k < d->ranges; k++)
            d->range[k].of = d->range[k].of == i ? kept : d->range[k].of;
        if (d->law[i].workers > 0)
            d->law[kept++] = d->law[i];
        else
            spec_free(&d->law[i].law);
    }
    d->laws = kept;
}

int delays_open(struct delays *d, const struct text_list *texts, uint64_t workers, struct err *e)
{
    struct ranges r = { .workers = workers, .noun = "delay", .rest = RANGES_NONE };
    *d = (struct delays){ .workers = workers };
    d->law = mem_new(texts->n + 1, sizeof *d->law, e);
    int status = d->law ? 0 : -1;
    for (size_t i = 0; i < texts->n && status == 0; i++)
        if (read_text(d, &r, texts->v[i], e) < 0)
            status = err_ctx(e, "delay '%s'", texts->v[i]);
    if (status == 0 && texts->n == 0)
        r.rest = d->laws++; /* none: no delay */
    if (status == 0 && settle(d, &r, e) == 0) {
        drop_unused(d);
        return 0;
    }
    ranges_free(&r);
    delays_close(d);
    return -1;
}

void delays_close(struct delays *d)
{
    for (size_t i = 0; i < d->laws; i++)
        spec_free(&d->law[i].law);
    free(d->law);
    free(d->range);
    *d = (struct delays){ 0 };
}

const struct spec *delays_of(const struct delays *d, uint64_t worker)
{
    size_t low = 0, high = d->ranges;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->range[middle].first <= worker)
            low = middle;
        else
            high = middle;
    }
    return &d->law[d->range[low].of].law;
}
