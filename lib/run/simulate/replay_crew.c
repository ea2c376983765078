/* Which of the files at hand are the rows that the workers of a recorded run had. */
#include "run/simulate/replay_crew.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/shards.h"

/* What is at hand under the same name, for the message. */
static const json_t *namesake(const struct archive *a, const json_t *shard)
{
    for (size_t i = 0; i < a->n; i++) {
        size_t k;
        json_t *one;
        json_array_foreach(a->crew->set[i]->shards, k,
                           one) if (strcmp(shards_text(one, "file"), shards_text(shard, "file")) ==
                                    0) return one;
    }
    return NULL;
}

static int missing(const struct archive *a, const json_t *shard, struct err *e)
{
    const json_t *here = namesake(a, shard);
    json_int_t rows = json_integer_value(json_object_get(shard, "rows"));
    err_set(e, ERR_DATA, "no file here has the %" JSON_INTEGER_FORMAT " rows with crc32 %s of '%s'",
            rows, shards_text(shard, "crc32"), shards_text(shard, "file"));
    if (here == NULL)
        return -1;
    rows = json_integer_value(json_object_get(here, "rows"));
    char what[sizeof e->text];
    memcpy(what, e->text, sizeof what);
    return err_set(e, ERR_DATA,
                   "%.700s: that of this name has %" JSON_INTEGER_FORMAT " rows with crc32 %s",
                   what, rows, shards_text(here, "crc32"));
}

/* The file that goes on at this place, or a->n. */
static size_t find_at(const struct archive *a, const json_t *shards, size_t at)
{
    size_t i = 0;
    while (i < a->n && !shards_continue(shards, at, a->crew->set[i]->shards))
        i++;
    return i;
}

/* A worker that had several files: they follow each other in one set. */
static int compose(struct archive *a, const json_t *shards, struct err *e)
{
    size_t all = json_array_size(shards), n = 0;
    char **paths = mem_new(all, sizeof *paths, e);
    int rc = paths == NULL ? -1 : 0;
    for (size_t at = 0; rc == 0 && at < all;) {
        size_t i = find_at(a, shards, at);
        if (i == a->n) {
            rc = missing(a, json_array_get(shards, at), e);
        } else {
            paths[n++] = a->paths[i];
            at += json_array_size(a->crew->set[i]->shards);
        }
    }
    if (rc == 0)
        rc = crew_add(a->crew, paths, n, a->input, e);
    free(paths);
    return rc;
}

int archive_find(struct archive *a, const json_t *shards, uint32_t *set, struct err *e)
{
    for (size_t i = 0; i < a->crew->sets; i++)
        if (json_array_size(a->crew->set[i]->shards) == json_array_size(shards) &&
            shards_continue(shards, 0, a->crew->set[i]->shards)) {
            *set = (uint32_t)i;
            return 0;
        }
    if (compose(a, shards, e) < 0)
        return -1;
    *set = (uint32_t)a->crew->sets - 1;
    return 0;
}

int archive_place(struct archive *a, const json_t *meta, struct err *e)
{
    struct crew *c = a->crew;
    json_t *all = shards_by_worker(json_object_get(meta, "shards"), c->workers, e);
    int rc = all == NULL ? -1 : 0;
    for (uint64_t r = 0; rc == 0 && r < c->workers; r++) {
        const json_t *shards = json_array_get(all, (size_t)r);
        if (json_array_size(shards) == 0)
            rc = err_set(e, ERR_DATA, "\"shards\": none is of worker %" PRIu64, r);
        else if (archive_find(a, shards, &c->set_of[r], e) < 0)
            rc = err_ctx(e, "worker %" PRIu64, r);
    }
    json_decref(all);
    return rc;
}

int archive_rows(const json_t *meta, uint64_t workers, uint64_t *rows, struct err *e)
{
    if (json_array_size(json_object_get(meta, "shards")) == 0)
        return 0;
    json_t *all = shards_by_worker(json_object_get(meta, "shards"), workers, e);
    for (uint64_t r = 0; all != NULL && r < workers; r++)
        rows[r] = shards_rows(json_array_get(all, (size_t)r));
    json_decref(all);
    return all == NULL ? -1 : 0;
}
