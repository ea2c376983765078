/* IDX, the format of MNIST: a magic number that says the kind of element, then sizes, all of it big-endian. */
#include <string.h>

#include "data/array.h"

enum { MAGIC = 4, DIMS = 16 };

static const struct {
    unsigned char code; /* third byte of the file */
    struct element element;
} elements[] = {
    { 0x08, { ELEMENT_UNSIGNED, 1, true } }, { 0x09, { ELEMENT_SIGNED, 1, true } },
    { 0x0b, { ELEMENT_SIGNED, 2, true } },   { 0x0c, { ELEMENT_SIGNED, 4, true } },
    { 0x0d, { ELEMENT_FLOAT, 4, true } },    { 0x0e, { ELEMENT_FLOAT, 8, true } },
};

static const struct element *find_element(unsigned char code)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].code == code)
            return &elements[i].element;
    return NULL;
}

static bool bid(const unsigned char *head, size_t n)
{
    return n >= MAGIC && head[0] == 0 && head[1] == 0 && find_element(head[2]) != NULL &&
           head[3] >= 1 && head[3] <= DIMS;
}

static int header(struct array *a, struct err *e)
{
    static const struct element size = { ELEMENT_UNSIGNED, 4, true };
    unsigned char head[MAGIC + 4 * DIMS];
    size_t got, sizes;
    if (source_read(a->source, head, MAGIC, &got, e) < 0)
        return -1;
    sizes = 4 * (size_t)head[3];
    if (source_read(a->source, head + MAGIC, sizes, &got, e) < 0)
        return -1;
    if (got < sizes)
        return err_set(e, ERR_DATA, "%s: ends at byte %zu, within the header of %zu", a->name,
                       MAGIC + got, MAGIC + sizes);
    a->element = *find_element(head[2]);
    a->n_dims = head[3];
    for (unsigned i = 0; i < a->n_dims; i++)
        a->dims[i] = (uint64_t)element_get(&size, head + MAGIC + 4 * i);
    return 0;
}

const struct array_kind array_idx = { .name = "idx", .byte = 1.0f / 255, .bid = bid, .header = header };
