/* Lines of text of any length, out of big blocks. */
#include "data/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/digits.h"
#include "base/mem.h"

enum { LINES_BLOCK = BLOCK_SIZE(1 << 16, 256), SPARE = 1 + DIGITS_SLACK };

/* Moves what is still needed to the front of the buffer and reads on behind it. Room stays free for the newline that
 * the last line may lack, and for what readers of numbers look at behind it. */
static int refill(struct lines *l, struct err *e)
{
    size_t got, keep = l->end - l->start;
    if (l->start > 0)
        memmove(l->buffer, l->buffer + l->start, keep);
    l->at -= l->start;
    l->end = keep;
    l->start = 0;
    if (mem_grow(&l->buffer, &l->cap, keep + LINES_BLOCK, 1, e) < 0 ||
        source_read(l->source, l->buffer + keep, l->cap - SPARE - keep, &got, e) < 0)
        return -1;
    l->done = got < l->cap - SPARE - keep;
    l->end += got;
    memset(l->buffer + l->end, 0, SPARE);
    return 0;
}

/* Moves `at` behind the next newline; 0 when nothing is there. */
static int find_end(struct lines *l, struct err *e)
{
    size_t seen = 0;
    for (;;) {
        size_t left = l->end - l->at;
        char *newline = left > seen ? memchr(l->buffer + l->at + seen, '\n', left - seen) : NULL;
        if (newline != NULL) {
            l->at = (size_t)(newline - l->buffer) + 1;
            return 1;
        }
        if (l->done)
            break;
        seen = left;
        if (refill(l, e) < 0)
            return -1;
    }
    if (l->end == l->at)
        return 0;
    l->buffer[l->end++] = '\n';
    l->at = l->end;
    return 1;
}

static int hand_out(const struct lines *l, char **text, size_t *n)
{
    *text = l->buffer + l->start;
    *n = l->at - l->start - 1;
    if (*n > 0 && (*text)[*n - 1] == '\r')
        --*n;
    return 1;
}

static void skip_mark(struct lines *l)
{
    if (l->at >= 4 && memcmp(l->buffer, "\xef\xbb\xbf", 3) == 0)
        l->start = 3;
}

int lines_next(struct lines *l, char **text, size_t *n, struct err *e)
{
    l->line += 1 + l->more;
    l->more = 0;
    l->start = l->at;
    int more = find_end(l, e);
    if (more <= 0)
        return more;
    if (l->line == 1)
        skip_mark(l);
    return hand_out(l, text, n);
}

int lines_join(struct lines *l, char **text, size_t *n, struct err *e)
{
    int more = find_end(l, e);
    if (more <= 0)
        return more;
    l->more++;
    return hand_out(l, text, n);
}

void lines_free(struct lines *l)
{
    free(l->buffer);
    memset(l, 0, sizeof *l);
}

int lines_blame(const struct lines *l, struct err *e)
{
    return err_ctx(e, "%s:%zu", l->source->name, l->line);
}
