/* A run as text: a line a worker, as dsgd(7) draws them, and bars. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/report/plot_kinds.h"

enum { WIDTH = 66, BAR = 50, LABEL = 9 };

static size_t column(const struct story *s, double time)
{
    double at = time / s->until * WIDTH;
    return at < 0 ? 0 : at > WIDTH - 1 ? WIDTH - 1 : (size_t)at;
}

static bool is_shown(const struct story *s, const struct bar *b, double worker)
{
    return b->worker == worker && b->first < s->until;
}

/* What ends work stands over the beginning of the next. */
static void print_worker(const struct story *s, double worker)
{
    static const char ends[] = { [BAR_USED] = 'G', [BAR_CANCELLED] = 'x', [BAR_LATE] = 'l', [BAR_UNFINISHED] = 'u' };
    char line[WIDTH + 1], *end = line + WIDTH;
    memset(line, ' ', WIDTH);
    *end = '\0';
    for (size_t i = 0; i < s->n; i++) {
        const struct bar *b = &s->v[i];
        size_t first = column(s, b->first), last = column(s, b->last);
        if (is_shown(s, b, worker))
            memset(line + first, '=', last - first + (b->last > s->until));
    }
    for (size_t i = 0; i < s->n; i++)
        if (is_shown(s, &s->v[i], worker) && s->v[i].last <= s->until)
            line[column(s, s->v[i].last)] = ends[s->v[i].fate];
    while (end > line && end[-1] == ' ')
        *--end = '\0';
    printf("worker %-*.0f %s\n", LABEL - 7, worker, line);
}

static void print_updates(const struct story *s)
{
    char line[WIDTH + 1];
    memset(line, ' ', WIDTH);
    line[WIDTH] = '\0';
    for (size_t i = 0; i < s->updates && s->update[i] <= s->until; i++)
        line[column(s, s->update[i])] = '|';
    printf("%-*s %s\n", LABEL, "updates", line);
}

static void print_timeline(const struct story *s)
{
    printf("What the workers did, 0 to %.3g s of %.3g s\n\n", s->until, s->ended);
    for (double worker = 0; worker < s->workers; worker++)
        print_worker(s, worker);
    print_updates(s);
    printf("\n= computation and delay, G gradient used, x cancelled, l late or dropped,\n"
           "u unfinished, | update; a character is %.2g s\n", s->until / WIDTH);
}

static void print_staleness(const struct story *s)
{
    double most = 0;
    for (size_t i = 0; i < s->stales; i++)
        most = fmax(most, s->stale[i]);
    printf("Staleness of the gradients used, in updates: share of them, %%\n\n");
    for (size_t i = 0; i < s->stales; i++) {
        int n = (int)lround(s->stale[i] / most * BAR);
        printf("%*zu %-*.*s %5.1f\n", LABEL, i, BAR, n,
               "##################################################", 100 * s->stale[i] / s->used);
    }
}

void story_print(const struct story *s, bool timeline, bool staleness)
{
    if (timeline)
        print_timeline(s);
    if (timeline && staleness)
        putchar('\n');
    if (staleness)
        print_staleness(s);
}
