/* Different texts and their numbers. */
#include "data/texts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { SLOTS_MIN = 64 };

uint32_t texts_hash(uint32_t h, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static bool same(const struct text *t, const char *text, size_t n)
{
    return t->n == n && memcmp(t->text, text, n) == 0;
}

/* The slot that holds text, or the empty one where it belongs. */
static uint32_t *slot(const struct texts *t, const char *text, size_t n)
{
    size_t i = texts_hash(TEXTS_HASH, text, n) & (t->n_slots - 1);
    while (t->slots[i] != 0 && !same(&t->v[t->slots[i] - 1], text, n))
        i = (i + 1) & (t->n_slots - 1);
    return &t->slots[i];
}

static int grow_slots(struct texts *t, struct err *e)
{
    size_t want = t->n_slots ? 2 * t->n_slots : SLOTS_MIN;
    uint32_t *fresh = mem_new(want, sizeof *fresh, e);
    if (fresh == NULL)
        return -1;
    free(t->slots);
    t->slots = fresh;
    t->n_slots = want;
    for (size_t i = 0; i < t->n; i++)
        *slot(t, t->v[i].text, t->v[i].n) = (uint32_t)(i + 1);
    return 0;
}

long texts_find(struct texts *t, const char *text, size_t n)
{
    if (t->n == 0)
        return -1;
    if (!same(&t->v[t->last], text, n)) {
        uint32_t number = *slot(t, text, n);
        if (number == 0)
            return -1;
        t->last = number - 1;
    }
    return (long)t->last;
}

long texts_add(struct texts *t, const char *text, size_t n, struct err *e)
{
    if (2 * (t->n + 1) > t->n_slots && grow_slots(t, e) < 0)
        return -1;
    if (mem_grow(&t->v, &t->cap, t->n + 1, sizeof *t->v, e) < 0)
        return -1;
    t->v[t->n] = (struct text){ mem_print(e, "%.*s", (int)n, text), n };
    if (t->v[t->n].text == NULL)
        return -1;
    t->last = t->n++;
    *slot(t, text, n) = (uint32_t)t->n;
    return (long)t->last;
}

bool texts_utf8(const char *text, size_t n)
{
    json_t *utf8 = json_stringn(text, n);
    json_decref(utf8);
    return utf8 != NULL;
}

bool texts_numberlike(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("0123456789.,+-eE", text[i]) == NULL || text[i] == '\0')
            return false;
    return n > 0 && text[0] != 'e' && text[0] != 'E';
}

int texts_fit(const char *text, size_t n, const char *noun, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return err_set(e, ERR_DATA, "%s with byte %02x: %ss are printable text on one line", noun,
                           (unsigned char)text[i], noun);
    return texts_utf8(text, n) ? 0 : err_set(e, ERR_DATA, "the %s is not UTF-8", noun);
}

void texts_free(struct texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i].text);
    free(t->v);
    free(t->slots);
    memset(t, 0, sizeof *t);
}
