/* gzip data, with everything checked that its end says: length and checksum of every member. */
#include "data/gunzip.h"

#include <limits.h>

enum { GZIP_WINDOW = 15 + 16 /* zlib: gzip alone */ };

int gunzip_open(struct gunzip *g, struct flow below, struct err *e)
{
    g->below = below;
    if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK)
        return err_memory(e);
    g->open = true;
    return 0;
}

void gunzip_close(struct gunzip *g)
{
    if (g->open)
        inflateEnd(&g->z);
    g->open = false;
}

/* Asks below for more when nothing is left. */
static int refill(struct gunzip *g, struct err *e)
{
    size_t got;
    if (g->z.avail_in > 0 || g->ended)
        return 0;
    if (flow_get(&g->below, g->in, sizeof g->in, &got, e) < 0)
        return -1;
    g->ended = got == 0;
    g->z.next_in = g->in;
    g->z.avail_in = (uInt)got;
    return 0;
}

/* Between members: zeros are what tapes and block devices fill up with; anything else that is no
 * further member is damage. 1: a member begins; 0: the end. */
static int next_member(struct gunzip *g, struct err *e)
{
    bool first = g->z.total_in == 0;
    while (!g->ended) {
        if (refill(g, e) < 0)
            return -1;
        while (!first && g->z.avail_in > 0 && *g->z.next_in == 0)
            g->z.next_in++, g->z.avail_in--;
        if (g->z.avail_in == 0)
            continue;
        if (!first && *g->z.next_in != 0x1f)
            return err_set(e, ERR_DATA, "other bytes stand behind the end of the gzip data");
        if (!first && inflateReset(&g->z) != Z_OK)
            return err_memory(e);
        return g->inside = true;
    }
    return 0;
}

static int damaged(const struct gunzip *g, int status, struct err *e)
{
    if (status == Z_MEM_ERROR)
        return err_memory(e);
    return err_set(e, ERR_DATA, "damaged gzip data: %s", g->z.msg ? g->z.msg : "cannot be read");
}

int gunzip_read(void *self, unsigned char *to, size_t room, size_t *got, struct err *e)
{
    struct gunzip *g = self;
    uInt want = room < UINT_MAX ? (uInt)room : UINT_MAX;
    g->z.next_out = to;
    g->z.avail_out = want;
    while (g->z.avail_out == want) {
        int more = g->inside ? 1 : next_member(g, e);
        if (more < 0 || refill(g, e) < 0)
            return -1;
        if (more == 0)
            break;
        int status = inflate(&g->z, Z_NO_FLUSH);
        if (status == Z_STREAM_END)
            g->inside = false;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return damaged(g, status, e);
        else if (g->z.avail_in == 0 && g->ended && g->z.avail_out == want)
            return err_set(e, ERR_DATA, "the gzip data end early");
    }
    *got = want - g->z.avail_out;
    return 0;
}
