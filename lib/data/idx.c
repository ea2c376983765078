/* IDX, the format of MNIST: a header of big-endian sizes, then numbers; labels in another file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/format.h"

enum { MAGIC = 4, DIMS_MAX = 16, BLOCK = 1 << 20 };

static uint64_t big(const unsigned char *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

static double get_u8(const unsigned char *p)
{
    return p[0];
}

static double get_i8(const unsigned char *p)
{
    return (int8_t)p[0];
}

static double get_i16(const unsigned char *p)
{
    return (int16_t)big(p, 2);
}

static double get_i32(const unsigned char *p)
{
    return (int32_t)big(p, 4);
}

static double get_f32(const unsigned char *p)
{
    uint32_t bits = (uint32_t)big(p, 4);
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static double get_f64(const unsigned char *p)
{
    uint64_t bits = big(p, 8);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static const struct element {
    unsigned char code; /* third byte of the file */
    unsigned size;
    double (*get)(const unsigned char *p);
} elements[] = {
    { 0x08, 1, get_u8 },  { 0x09, 1, get_i8 },  { 0x0b, 2, get_i16 },
    { 0x0c, 4, get_i32 }, { 0x0d, 4, get_f32 }, { 0x0e, 8, get_f64 },
};

static const struct element *find_element(unsigned char code)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].code == code)
            return &elements[i];
    return NULL;
}

/* One IDX file: rows of `width` numbers. */
struct table_in {
    struct source *source;
    const struct element *element;
    uint64_t rows, width;
    uint64_t done; /* rows read */
};

/* Bytes of rows; it grows as they come, for a header may promise what is not there. */
struct room {
    unsigned char *block;
    size_t cap;
};

struct idx {
    struct table_in images;
    struct builder *builder;
    double *labels;
    uint64_t n_labels;
    char *labels_name;
    struct room room;
    uint64_t at_once; /* rows read at a time */
};

static int idx_bid(const unsigned char *head, size_t n)
{
    bool magic = n >= MAGIC && head[0] == 0 && head[1] == 0 && find_element(head[2]) != NULL &&
                 head[3] >= 1 && head[3] <= DIMS_MAX;
    return magic ? BID_MAGIC : BID_NO;
}

static int read_header(struct table_in *t, struct err *e)
{
    unsigned char head[MAGIC + 4 * DIMS_MAX];
    size_t got, sizes;
    if (source_read(t->source, head, MAGIC, &got, e) < 0)
        return -1;
    if (idx_bid(head, got) == BID_NO)
        return err_set(e, ERR_DATA, "%s: not an IDX file", t->source->name);
    sizes = 4 * (size_t)head[3];
    if (source_read(t->source, head + MAGIC, sizes, &got, e) < 0)
        return -1;
    if (got < sizes)
        return err_set(e, ERR_DATA, "%s: ends at byte %zu, within the header of %zu",
                       t->source->name, MAGIC + got, MAGIC + sizes);
    t->element = find_element(head[2]);
    t->rows = big(head + MAGIC, 4);
    t->width = 1;
    bool fits = true;
    for (size_t i = 4; i < sizes && fits; i += 4)
        fits = !__builtin_mul_overflow(t->width, big(head + MAGIC + i, 4), &t->width);
    if (!fits || t->width > INT32_MAX)
        return err_set(e, ERR_DATA, "%s: more than %d numbers a row", t->source->name, INT32_MAX);
    if (t->width == 0)
        return err_set(e, ERR_DATA, "%s: rows without a number", t->source->name);
    return 0;
}

/* Bytes that stand behind the last row. */
static int count_rest(struct table_in *t, uint64_t *bytes, struct err *e)
{
    unsigned char room[4096];
    size_t got = sizeof room;
    for (*bytes = 0; got == sizeof room; *bytes += got)
        if (source_read(t->source, room, sizeof room, &got, e) < 0)
            return -1;
    return 0;
}

/* *got < n only at the end of the file. */
static int fill(struct source *s, struct room *to, size_t n, size_t *got, struct err *e)
{
    size_t piece, more;
    for (*got = 0; *got < n; *got += more) {
        piece = n - *got < BLOCK ? n - *got : BLOCK;
        if (mem_grow(&to->block, &to->cap, *got + piece, 1, e) < 0 ||
            source_read(s, to->block + *got, piece, &more, e) < 0)
            return -1;
        if (more < piece) {
            *got += more;
            return 0;
        }
    }
    return 0;
}

/* Up to n more rows. *got = 0 after the last, when nothing stands behind
 * it. */
static int read_rows(struct table_in *t, struct room *to, uint64_t n, uint64_t *got,
                     struct err *e)
{
    size_t bytes, row = (size_t)t->width * t->element->size;
    uint64_t extra;
    *got = t->rows - t->done < n ? t->rows - t->done : n;
    if (*got == 0) {
        if (count_rest(t, &extra, e) < 0)
            return -1;
        if (extra > 0)
            return err_set(e, ERR_DATA, "%s: %llu bytes too many: the header promises %llu",
                           t->source->name, (unsigned long long)extra,
                           (unsigned long long)(t->rows * row));
        return 0;
    }
    if (fill(t->source, to, (size_t)*got * row, &bytes, e) < 0)
        return -1;
    if (bytes < *got * row)
        return err_set(e, ERR_DATA, "%s: the header promises %llu bytes, %llu found",
                       t->source->name, (unsigned long long)(t->rows * row),
                       (unsigned long long)(t->done * row + bytes));
    t->done += *got;
    return 0;
}

static void put_bytes(struct builder *b, const struct table_in *t, const unsigned char *block,
                      size_t n)
{
    memcpy(b->bytes + b->n * b->features, block, n * t->width);
}

static void put_floats(struct builder *b, const struct table_in *t, const unsigned char *block,
                       size_t n)
{
    float *x = b->x + b->n * b->features;
    for (size_t i = 0; i < n * t->width; i++)
        x[i] = (float)t->element->get(block + i * t->element->size);
}

static int check_finite(const struct idx *f, size_t n, struct err *e)
{
    const struct builder *b = f->builder;
    const float *x = b->x + b->n * b->features;
    for (size_t i = 0; i < n * b->features; i++)
        if (!isfinite(x[i]))
            return err_set(e, ERR_DATA, "%s: row %zu: number %zu is not a finite float",
                           f->images.source->name, b->n + i / b->features + 1, i % b->features + 1);
    return 0;
}

/* The label of row b->n; a row too many is noticed at the end, when the images proved whole. */
static int put_label(struct idx *f, struct err *e)
{
    struct builder *b = f->builder;
    struct place at = { f->labels_name, ": row ", b->n + 1 };
    char text[32];
    int n = snprintf(text, sizeof text, "%.17g", b->n < f->n_labels ? f->labels[b->n] : 0.0);
    return labels_put(&b->spellings, text, (size_t)n, at, b->labels, b->n, e);
}

static int check_counts(const struct idx *f, struct err *e)
{
    if (f->images.rows == f->n_labels)
        return 0;
    return err_set(e, ERR_DATA, "%s has %llu rows, %s has %llu labels", f->images.source->name,
                   (unsigned long long)f->images.rows, f->labels_name,
                   (unsigned long long)f->n_labels);
}

static int idx_next(void *self, struct err *e)
{
    struct idx *f = self;
    struct builder *b = f->builder;
    uint64_t got;
    if (read_rows(&f->images, &f->room, f->at_once, &got, e) < 0)
        return -1;
    if (got == 0)
        return check_counts(f, e);
    if (builder_room(b, got, e) < 0)
        return -1;
    (b->kind == ROWS_BYTES ? put_bytes : put_floats)(b, &f->images, f->room.block, got);
    if (b->kind == ROWS_DENSE && check_finite(f, got, e) < 0)
        return -1;
    for (uint64_t i = 0; i < got; i++, b->n++)
        if (put_label(f, e) < 0)
            return err_ctx(e, "%s", f->labels_name);
    return 1;
}

/* The labels file of the images: a number a row. */
static int read_labels(struct idx *f, struct source *s, struct err *e)
{
    struct table_in t = { .source = s };
    uint64_t got;
    size_t cap = 0;
    int more = source_next(s, e);
    if (more <= 0)
        return more < 0 ? -1 : err_set(e, ERR_DATA, "%s: no labels: it is empty", s->path);
    if (read_header(&t, e) < 0)
        return -1;
    f->labels_name = mem_text(s->name, e);
    if (f->labels_name == NULL)
        return -1;
    if (t.width != 1)
        return err_set(e, ERR_DATA, "%s: %llu numbers a row, a label is one", s->name,
                       (unsigned long long)t.width);
    do {
        uint64_t done = t.done;
        if (read_rows(&t, &f->room, BLOCK / t.element->size, &got, e) < 0 ||
            mem_grow(&f->labels, &cap, done + got, sizeof *f->labels, e) < 0)
            return -1;
        for (uint64_t i = 0; i < got; i++)
            f->labels[done + i] = t.element->get(f->room.block + i * t.element->size);
    } while (got > 0);
    f->n_labels = t.done;
    return 0;
}

static int open_labels(struct idx *f, const struct input *in, struct err *e)
{
    struct source s = { 0 };
    const char *name = f->images.source->name;
    if (in->labels == NULL)
        return err_set(e, ERR_USAGE, "%s: IDX needs --labels FILE", name);
    if (f->builder->n > 0)
        return err_set(e, ERR_USAGE, "%s: --labels belong to one IDX file, this is another", name);
    if (source_open(&s, in->labels, NULL, e) < 0)
        return -1;
    int status = read_labels(f, &s, e);
    source_close(&s);
    return status;
}

static void idx_close(void *self)
{
    struct idx *f = self;
    free(f->room.block);
    free(f->labels_name);
    free(f->labels);
    free(f);
}

static int begin(struct idx *f, const struct input *in, struct err *e)
{
    struct table_in *t = &f->images;
    if (read_header(t, e) < 0 || open_labels(f, in, e) < 0)
        return -1;
    bool bytes = t->element->code == 0x08;
    if (builder_begin(f->builder, "idx", bytes ? ROWS_BYTES : ROWS_DENSE, t->width, e) < 0)
        return err_ctx(e, "%s", t->source->name);
    f->builder->scale = bytes ? 1.0f / 255 : 1;
    f->at_once = BLOCK / ((uint64_t)t->width * t->element->size) + 1;
    return 0;
}

static void *idx_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    struct idx *f = mem_new(1, sizeof *f, e);
    if (f == NULL)
        return NULL;
    f->images.source = s;
    f->builder = b;
    if (begin(f, in, e) == 0)
        return f;
    idx_close(f);
    return NULL;
}

static json_t *idx_meta(const void *self)
{
    (void)self;
    return json_pack("{s:s}", "format", "idx");
}

const struct format format_idx = {
    .plug = { .name = "idx", .help = "images of MNIST and its kin; bytes count 1/255" },
    .bid = idx_bid,
    .open = idx_open,
    .next = idx_next,
    .close = idx_close,
    .meta = idx_meta,
};
