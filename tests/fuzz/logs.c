/* Other people's logs: any bytes as what dsgd-trace import reads, or as a file of durations. The first byte says which
 * columns there are to be. */
#include <math.h>

#include "delay/durations.h"
#include "fuzz.h"
#include "run/spans.h"

enum { DURATIONS = 1, WORKER = 2, DURATION = 4, START = 8, END = 16, STEP = 32, MILLISECONDS = 64 };

static void as_durations(const char *path)
{
    struct durations d = { 0 };
    struct err e = { 0 };
    if (durations_read(&d, path, &e) == 0)
        for (size_t i = 0; i < d.n; i++)
            promise(isfinite(d.v[i].seconds) && d.v[i].seconds >= 0);
    durations_free(&d);
}

/* In order of workers, whose numbers have no gap. */
static void use(const struct spans *s)
{
    promise(s->n > 0 && s->v[0].worker == 0 && s->v[s->n - 1].worker + 1 == s->workers);
    for (size_t i = 0; i < s->n; i++) {
        promise(isfinite(s->v[i].start) && isfinite(s->v[i].seconds) && s->v[i].seconds >= 0);
        promise(i == 0 || s->v[i].worker - s->v[i - 1].worker <= 1);
    }
}

static void as_spans(const char *path, unsigned named)
{
    struct spans s = { 0 };
    struct err e = { 0 };
    struct import_conf conf = {
        .worker = named & WORKER ? "w" : NULL,
        .duration = named & DURATION ? "d" : NULL,
        .start = named & START ? "s" : NULL,
        .end = named & END ? "e" : NULL,
        .step = named & STEP ? "n" : NULL,
        .unit = named & MILLISECONDS ? "ms" : "s",
    };
    if (spans_read(&s, &conf, path, &(struct log){ .level = -1 }, &e) == 0)
        use(&s);
    spans_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct memory_file file;
    if (n == 0 || is_slow(data + 1, n - 1))
        return 0;
    memory_file(&file, data + 1, n - 1);
    if (data[0] & DURATIONS)
        as_durations(file.path);
    else
        as_spans(file.path, data[0]);
    return 0;
}
