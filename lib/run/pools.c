/* Workers by the pool. */
#include "run/pools.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { NAME = POOL_PARTS, COUNT, KEYS };
static const char *const keys[KEYS] = { "delay", "comm", "price", "watts", "name", "n" };
static const char known[] = "name, n, delay, comm, price, watts";

/* The key that text starts with, and behind its '='; KEYS: none. */
static int key_of(const char *text, const char **value)
{
    size_t n = strcspn(text, "=,:");
    for (int k = 0; k < KEYS && text[n] == '='; k++)
        if (strlen(keys[k]) == n && memcmp(text, keys[k], n) == 0) {
            *value = text + n + 1;
            return k;
        }
    return KEYS;
}

/* The comma before the next key; NULL: there is none. */
static char *next_key(char *at)
{
    const char *value;
    for (at = strchr(at, ','); at != NULL; at = strchr(at + 1, ','))
        if (key_of(at + 1, &value) != KEYS)
            return at;
    return NULL;
}

static int take(struct pool *p, const char *value[], struct err *e)
{
    for (char *at = p->text, *end; at != NULL; at = end) {
        const char *text = NULL;
        int key = key_of(at, &text);
        if (key == KEYS)
            return err_set(e, ERR_USAGE, "'%.40s' is none of the keys of a pool: %s", at, known);
        end = next_key(at);
        if (end != NULL)
            *end++ = '\0';
        if (value[key] != NULL)
            return err_set(e, ERR_USAGE, "%s is told twice", keys[key]);
        if (*text == '\0')
            return err_set(e, ERR_USAGE, "%s has no value", keys[key]);
        value[key] = text;
    }
    return 0;
}

static int read_pool(struct pool *p, const char *text, struct err *e)
{
    const char *value[KEYS] = { NULL };
    p->text = mem_text(text, e);
    if (p->text == NULL || take(p, value, e) < 0)
        return -1;
    if (value[NAME] == NULL || value[COUNT] == NULL)
        return err_set(e, ERR_USAGE, "%s is missing: write name=edge,n=4,delay=exp:mean=80ms",
                       value[NAME] == NULL ? "name" : "n");
    if (value[NAME][strcspn(value[NAME], ", \t\n")] != '\0' || strcmp(value[NAME], "all") == 0)
        return err_set(e, ERR_USAGE, "name '%s': it is one word, and not 'all'", value[NAME]);
    if (num_whole(value[COUNT], &p->n, e) < 0)
        return err_ctx(e, "n '%s'", value[COUNT]);
    if (p->n == 0 || p->n > UINT32_MAX)
        return err_set(e, ERR_USAGE, "n '%s': a pool has at least one worker, and at most 2^32 - 1", value[COUNT]);
    p->name = value[NAME];
    memcpy(p->part, value, sizeof p->part);
    return 0;
}

static int check_name(const struct pools *p, size_t i, struct err *e)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(p->v[k].name, p->v[i].name) == 0)
            return err_set(e, ERR_USAGE, "there is a pool of that name before: give each its own");
    return 0;
}

int pools_open(struct pools *p, const struct text_list *texts, struct err *e)
{
    p->v = mem_new(texts->n, sizeof *p->v, e);
    if (p->v == NULL)
        return -1;
    for (size_t i = 0; i < texts->n; i++) {
        struct pool *one = &p->v[p->n++];
        if (read_pool(one, texts->v[i], e) < 0 || check_name(p, i, e) < 0)
            return err_ctx(e, "--pool '%s'", texts->v[i]);
        one->first = p->workers;
        p->workers += one->n;
    }
    return 0;
}

void pools_close(struct pools *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->v[i].text);
    for (size_t i = 0; i < p->texts; i++)
        free(p->owned[i]);
    free(p->owned);
    free(p->v);
    *p = (struct pools){ 0 };
}

int pools_list(struct pools *p, enum pool_part part, struct text_list *to, struct err *e)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct pool *one = &p->v[i];
        if (one->part[part] == NULL)
            continue;
        if (mem_grow(&p->owned, &p->cap, p->texts + 1, sizeof *p->owned, e) < 0)
            return -1;
        char *text = mem_print(e, "%" PRIu64 "-%" PRIu64 "=%s", one->first, one->first + one->n - 1, one->part[part]);
        if (text == NULL)
            return -1;
        p->owned[p->texts++] = text;
        if (set_list(to, text, e) < 0)
            return -1;
    }
    return 0;
}

int pools_count(const struct pools *p, uint64_t *workers, struct err *e)
{
    if (p->n == 0)
        return 0;
    if (*workers != 0 && *workers != p->workers)
        return err_set(e, ERR_USAGE, "-P %" PRIu64 ", but the pools have %" PRIu64 " workers: leave -P out", *workers,
                       p->workers);
    *workers = p->workers;
    return 0;
}
