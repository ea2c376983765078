/* Which of many numbers were met. */
#include "base/marks.h"

#include <stdlib.h>

#include "base/mem.h"

int marks_open(struct marks *m, size_t size, struct err *e)
{
    m->n_words = size / 4096 + 1;
    m->bits = mem_new(m->n_words * 64, sizeof *m->bits, e);
    m->words = mem_new(m->n_words, sizeof *m->words, e);
    return m->bits == NULL || m->words == NULL ? -1 : 0;
}

void marks_close(struct marks *m)
{
    free(m->words);
    free(m->bits);
    *m = (struct marks){ 0 };
}

size_t marks_take(struct marks *m, uint32_t *to)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_words; i++)
        for (; m->words[i] != 0; m->words[i] &= m->words[i] - 1) {
            const size_t k = 64 * i + (size_t)__builtin_ctzll(m->words[i]);
            for (; m->bits[k] != 0; m->bits[k] &= m->bits[k] - 1)
                to[n++] = (uint32_t)(64 * k + (size_t)__builtin_ctzll(m->bits[k]));
        }
    return n;
}
