/* Arrays of numbers, row by row. */
#include "data/array.h"

#include <stdlib.h>

#include "base/block.h"
#include "base/mem.h"

enum { BLOCK = BLOCK_SIZE(1 << 20, 256) };

static const struct array_kind *const kinds[] = { &array_idx, &array_npy, NULL };

static const struct array_kind *kind_of(const struct source *s)
{
    for (size_t i = 0; kinds[i] != NULL; i++)
        if (kinds[i]->bid(s->head, s->head_n))
            return kinds[i];
    return NULL;
}

static uint64_t row_bytes(const struct array *a)
{
    return a->width * a->element.size;
}

/* From the sizes of the header. */
static int measure(struct array *a, struct err *e)
{
    bool fits = true;
    uint64_t bytes;
    a->rows = a->dims[0];
    a->width = 1;
    for (unsigned i = 1; i < a->n_dims && fits; i++)
        fits = !__builtin_mul_overflow(a->width, a->dims[i], &a->width);
    if (!fits || a->width > INT32_MAX)
        return err_set(e, ERR_DATA, "%s: more than %d numbers a row", a->name, INT32_MAX);
    if (a->width == 0)
        return err_set(e, ERR_DATA, "%s: rows without a number", a->name);
    if (__builtin_mul_overflow(a->rows, row_bytes(a), &bytes))
        return err_set(e, ERR_DATA, "%s: more numbers than memory can have", a->name);
    return 0;
}

/* Where each number of the first row lies: the index that runs fastest in memory is the first, in a row the
 * last. */
static int find_columns(struct array *a, struct err *e)
{
    a->column = mem_new((size_t)a->width, sizeof *a->column, e);
    for (uint64_t j = 0; a->column != NULL && j < a->width; j++) {
        uint64_t rest = j, after = a->rows * a->width;
        for (unsigned d = a->n_dims - 1; d > 0; d--) {
            after /= a->dims[d];
            a->column[j] += rest % a->dims[d] * after;
            rest /= a->dims[d];
        }
    }
    return a->column == NULL ? -1 : 0;
}

int array_open(struct array *a, struct source *s, struct err *e)
{
    a->kind = kind_of(s);
    if (a->kind == NULL)
        return err_set(e, ERR_DATA, "%s: not an IDX or npy file", s->name);
    a->source = s;
    a->name = mem_text(s->name, e);
    if (a->name == NULL || a->kind->header(a, e) < 0 || measure(a, e) < 0)
        return -1;
    a->by_columns = a->by_columns && a->n_dims > 1 && a->rows > 0;
    return a->by_columns ? array_load(a, e) : 0;
}

int array_over(struct array *a, const struct array_kind *kind, const char *name, const void *numbers, struct err *e)
{
    a->kind = kind;
    a->name = mem_text(name, e);
    if (a->name == NULL || measure(a, e) < 0)
        return -1;
    a->block = (unsigned char *)numbers;
    a->whole = true;
    return 0;
}

/* Bytes that stand behind the last row. */
static int count_rest(struct array *a, uint64_t *bytes, struct err *e)
{
    unsigned char room[4096];
    size_t got = sizeof room;
    for (*bytes = 0; got == sizeof room; *bytes += got)
        if (source_read(a->source, room, sizeof room, &got, e) < 0)
            return -1;
    return 0;
}

static int check_end(struct array *a, struct err *e)
{
    uint64_t extra;
    if (count_rest(a, &extra, e) < 0)
        return -1;
    if (extra > 0)
        return err_set(e, ERR_DATA, "%s: %llu bytes too many: the header promises %llu", a->name,
                       (unsigned long long)extra, (unsigned long long)(a->rows * row_bytes(a)));
    return 0;
}

/* *got < n only at the end of the file. */
static int fill(struct array *a, size_t n, size_t *got, struct err *e)
{
    size_t piece, more;
    for (*got = 0; *got < n; *got += more) {
        piece = n - *got < BLOCK ? n - *got : BLOCK;
        if (mem_grow(&a->block, &a->cap, *got + piece, 1, e) < 0 ||
            source_read(a->source, a->block + *got, piece, &more, e) < 0)
            return -1;
        if (more < piece) {
            *got += more;
            return 0;
        }
    }
    return 0;
}

static int read_rows(struct array *a, uint64_t n, struct err *e)
{
    uint64_t row = row_bytes(a);
    size_t bytes;
    if (fill(a, (size_t)(n * row), &bytes, e) < 0)
        return -1;
    if (bytes < n * row)
        return err_set(e, ERR_DATA, "%s: the header promises %llu bytes, %llu found", a->name,
                       (unsigned long long)(a->rows * row),
                       (unsigned long long)(a->done * row + bytes));
    return 0;
}

int array_load(struct array *a, struct err *e)
{
    if (a->whole)
        return 0;
    if (read_rows(a, a->rows, e) < 0 || check_end(a, e) < 0)
        return -1;
    a->whole = true;
    return a->by_columns ? find_columns(a, e) : 0;
}

int array_next(struct array *a, uint64_t n, uint64_t *got, struct err *e)
{
    *got = a->rows - a->done < n ? a->rows - a->done : n;
    if (*got == 0)
        return a->whole ? 0 : check_end(a, e);
    if (!a->whole && read_rows(a, *got, e) < 0)
        return -1;
    a->first = a->whole ? a->done : 0;
    a->done += *got;
    return 0;
}

const unsigned char *array_at(const struct array *a, uint64_t i, uint64_t j)
{
    uint64_t row = a->first + i;
    return a->block + (a->by_columns ? a->column[j] + row : row * a->width + j) * a->element.size;
}

void array_close(struct array *a)
{
    free(a->name);
    if (a->cap > 0)
        free(a->block);
    free(a->column);
    *a = (struct array){ 0 };
}
