/* The binary versions of CIFAR-10 and CIFAR-100: records of a label byte or two and 32 x 32 pixels in three
 * planes, red, green, blue. Nothing says how many; a file is whole records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/mem.h"
#include "data/format.h"

enum { SIDE = 32, PLANES = 3, PIXELS = PLANES * SIDE * SIDE, AT_ONCE = BLOCK_SIZE(256, 1), LABELS_MAX = 2 };

/* What differs between the two. */
struct kind {
    const char *name;
    unsigned labels;              /* bytes in front of the pixels */
    unsigned classes[LABELS_MAX]; /* of each */
    int bid; /* there is no magic number: a record can look like one of the other kind */
};
static const struct kind cifar10 = { "cifar10", 1, { 10 }, 22 }, cifar100 = { "cifar100", 2, { 20, 100 }, 21 };

struct cifar {
    const struct kind *kind;
    struct source *source;
    struct builder *builder;
    size_t first;   /* rows that the builder had before */
    unsigned label; /* which of the label bytes counts */
    unsigned char block[AT_ONCE * (LABELS_MAX + PIXELS)];
};

static size_t record_size(const struct kind *k)
{
    return k->labels + PIXELS;
}

/* No text, and labels in range wherever a record of the head begins. */
static int bid(const struct source *s, const struct kind *k)
{
    bool text = true;
    for (size_t i = 0; i < s->head_n && text; i++)
        text = s->head[i] != 0 && s->head[i] < 0x80;
    if (text || s->head_n < record_size(k))
        return BID_NO;
    for (size_t at = 0; at + k->labels <= s->head_n; at += record_size(k))
        for (unsigned i = 0; i < k->labels; i++)
            if (s->head[at + i] >= k->classes[i])
                return BID_NO;
    return k->bid;
}

static int cifar10_bid(const struct source *s)
{
    return bid(s, &cifar10);
}

static int cifar100_bid(const struct source *s)
{
    return bid(s, &cifar100);
}

static void *open_kind(struct source *s, struct builder *b, const struct kind *k, unsigned label,
                       struct err *e)
{
    struct cifar *f = mem_new(1, sizeof *f, e);
    if (f == NULL)
        return NULL;
    *f = (struct cifar){ .kind = k, .source = s, .builder = b, .first = builder_count(b), .label = label };
    if (builder_begin(b, k->name, ROWS_BYTES, PIXELS, e) == 0) {
        b->scale = 1.0f / 255;
        return f;
    }
    err_ctx(e, "%s", s->name);
    free(f);
    return NULL;
}

static void *cifar10_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    (void)in;
    return open_kind(s, b, &cifar10, 0, e);
}

static int put_record(struct cifar *f, const unsigned char *record, struct err *e)
{
    struct builder *b = f->builder;
    struct place at = { f->source->name, ": record ", builder_count(b) - f->first + 1 };
    char text[4];
    for (unsigned i = 0; i < f->kind->labels; i++)
        if (record[i] >= f->kind->classes[i])
            return err_set(e, ERR_DATA, "%s: record %zu: label %u: %s has 0 to %u", f->source->name,
                           at.number, record[i], f->kind->name, f->kind->classes[i] - 1);
    memcpy(b->bytes + b->n * PIXELS, record + f->kind->labels, PIXELS);
    int n = snprintf(text, sizeof text, "%u", record[f->label]);
    if (labels_put(&b->spellings, text, (size_t)n, at, b->labels, b->n, e) < 0)
        return -1;
    b->n++;
    return 0;
}

static int cifar_next(void *self, struct err *e)
{
    struct cifar *f = self;
    size_t got, size = record_size(f->kind);
    if (source_read(f->source, f->block, AT_ONCE * size, &got, e) < 0)
        return -1;
    if (got % size != 0)
        return err_set(e, ERR_DATA, "%s: ends within record %zu: a record of %s has %zu bytes",
                       f->source->name, builder_count(f->builder) - f->first + got / size + 1, f->kind->name, size);
    if (got > 0 && builder_room(f->builder, got / size, e) < 0)
        return -1;
    for (size_t i = 0; i < got; i += size)
        if (put_record(f, f->block + i, e) < 0)
            return -1;
    return got > 0;
}

static void cifar_close(void *self)
{
    free(self);
}

static json_t *cifar10_meta(const void *self)
{
    (void)self;
    return json_pack("{s:s, s:[i, i, i]}", "format", cifar10.name, "shape", SIDE, SIDE, PLANES);
}

const struct format format_cifar10 = {
    .plug = { .name = "cifar10", .help = "binary records of CIFAR-10; bytes count 1/255" },
    .bid = cifar10_bid,
    .open = cifar10_open,
    .next = cifar_next,
    .close = cifar_close,
    .meta = cifar10_meta,
};

/* -f cifar100:coarse. */
struct cifar100_conf {
    unsigned label;
};

static int set_label(void *target, const char *text, struct err *e)
{
    static const char *const names[] = { "coarse", "fine" };
    for (unsigned i = 0; i < 2; i++)
        if (strcmp(text, names[i]) == 0) {
            *(unsigned *)target = i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "is neither fine nor coarse");
}

static const struct param cifar100_params[] = {
    { "labels", set_label, offsetof(struct cifar100_conf, label), "fine",
      "fine (100 classes) or coarse (20)" },
    { 0 },
};

static void *cifar100_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    const struct cifar100_conf *c =
        in->format.plug == &format_cifar100.plug ? in->format.conf : NULL;
    bool coarse = in->like && json_is_false(json_object_get(in->like, "fine"));
    return open_kind(s, b, &cifar100, c ? c->label : coarse ? 0 : 1, e);
}

static json_t *cifar100_meta(const void *self)
{
    return json_pack("{s:s, s:b, s:[i, i, i]}", "format", cifar100.name, "fine",
                     ((const struct cifar *)self)->label, "shape", SIDE, SIDE, PLANES);
}

const struct format format_cifar100 = {
    .plug = { .name = "cifar100",
              .help = "binary records of CIFAR-100; bytes count 1/255",
              .params = cifar100_params,
              .conf = sizeof(struct cifar100_conf) },
    .bid = cifar100_bid,
    .open = cifar100_open,
    .next = cifar_next,
    .close = cifar_close,
    .meta = cifar100_meta,
};
