/* Whether an event is the recorded one. */
#include "run/simulate/replay_match.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/num.h"

#define WHOLE(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct trace_event, name)                                                  \
    }
static const struct column {
    const char *name;
    size_t offset;
} wholes[] = { WHOLE(worker),    WHOLE(seq),       WHOLE(version),
               WHOLE(iteration), WHOLE(staleness), WHOLE(rows) };
enum { WHOLES = sizeof wholes / sizeof *wholes };

static const char *print_whole(char *text, uint64_t v)
{
    if (v == TRACE_NA)
        return strcpy(text, "NA");
    snprintf(text, NUM_TEXT, "%ju", (uintmax_t)v);
    return text;
}

static int differs(const struct trace_event *ev, const char *column, const char *here,
                   const char *recorded, struct err *e)
{
    return err_set(e, ERR_DATA, "%s: %s is %s here, %s in the trace", trace_names[ev->kind], column,
                   here, recorded);
}

static int match_whole(const struct trace_event *here, const struct trace_event *recorded,
                       const struct column *c, struct err *e)
{
    char a[NUM_TEXT], b[NUM_TEXT];
    uint64_t x = *(const uint64_t *)(const void *)((const char *)here + c->offset);
    uint64_t y = *(const uint64_t *)(const void *)((const char *)recorded + c->offset);
    if (c->offset == offsetof(struct trace_event, rows) && (x == TRACE_NA || y == TRACE_NA))
        return 0; /* without data nobody knows those of a minibatch that brought no gradient */
    return x == y ? 0 : differs(here, c->name, print_whole(a, x), print_whole(b, y), e);
}

/* To the last digit: what is no number is NA in a trace. */
static bool same_loss(double a, double b)
{
    return a == b || (!isfinite(a) && !isfinite(b));
}

int replay_match(const struct trace_event *here, const struct trace_event *recorded, bool losses,
                 struct err *e)
{
    char a[NUM_TEXT], b[NUM_TEXT];
    if (here->kind != recorded->kind)
        return err_set(e, ERR_DATA, "what follows here is %s, in the trace %s",
                       trace_names[here->kind], trace_names[recorded->kind]);
    for (int i = 0; i < WHOLES; i++)
        if (match_whole(here, recorded, &wholes[i], e) < 0)
            return -1;
    if (losses && !same_loss(here->loss, recorded->loss))
        return differs(here, "loss", num_print_double(a, here->loss),
                       num_print_double(b, recorded->loss), e);
    if (strcmp(here->note, recorded->note) != 0)
        return differs(here, "note", here->note[0] ? here->note : "NA",
                       recorded->note[0] ? recorded->note : "NA", e);
    return 0;
}
