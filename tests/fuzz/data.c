/* Data sets: any bytes as a file of the format in $DSGD_FUZZ_FORMAT (default: auto). The first byte holds options,
 * the rest is the file. */
#include <math.h>
#include <string.h>

#include "data/dataset.h"
#include "fuzz.h"

enum { UNLABELLED = 1, NO_HEADER = 2, ZERO_BASED = 4, SELF_LABELLED = 8, NAMED = 16, NARROW = 32, MISSING = 64,
       CATEGORIES = 128 };

/* Indices ascend below the width, labels are classes or finite targets, weights are at least 0. */
static void check_rows(const struct dataset *d, const struct rows *r)
{
    for (size_t i = 0; i < r->n; i++) {
        int64_t before = -1;
        promise(isfinite(r->labels[i]));
        promise(!d->classes.named || (r->labels[i] >= 0 && r->labels[i] < (double)d->classes.n));
        promise(rows_weight(r, i) >= 0);
        for (int64_t k = r->kind == ROWS_SPARSE ? r->indptr[i] : 0;
             r->kind == ROWS_SPARSE && k < r->indptr[i + 1]; before = r->indices[k++])
            promise(r->indices[k] > before && (size_t)r->indices[k] < r->features && isfinite(r->values[k]));
        for (size_t j = 0; r->kind == ROWS_DENSE && j < r->features; j++)
            promise(isfinite(r->x[i * r->features + j]));
    }
}

static void use(const struct dataset *d)
{
    size_t rows = 0;
    promise(d->rows > 0);
    for (size_t i = 0; i < d->n_parts; i++) {
        promise(d->parts[i].features <= d->features);
        check_rows(d, &d->parts[i]);
        rows += d->parts[i].n;
    }
    promise(rows == d->rows);
}

static struct spec format, zero;
static struct memory_file file;

static void choose(void)
{
    const char *name = getenv("DSGD_FUZZ_FORMAT");
    struct err e = { 0 };
    promise(spec_parse(&format, &format_table, name ? name : "auto", &e) == 0);
    promise(spec_parse(&zero, &missing_table, "zero", &e) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct dataset d = { 0 };
    struct err e = { 0 };
    char *paths[] = { file.path };
    if (format.plug == NULL)
        choose();
    if (n == 0 || (strcmp(format.plug->name, "auto") != 0 && is_slow(data + 1, n - 1)))
        return 0;
    memory_file(&file, data + 1, n - 1);
    struct input in = { .format = format, .unlabelled = data[0] & UNLABELLED, .no_header = data[0] & NO_HEADER,
                        .zero_based = data[0] & ZERO_BASED };
    if (data[0] & SELF_LABELLED)
        in.labels = file.path;
    else if ((data[0] & UNLABELLED) == 0)
        in.label_column = data[0] & NAMED ? "y" : "1";
    if (data[0] & MISSING)
        in.missing = zero;
    if (data[0] & CATEGORIES)
        in.categories = "auto";
    if (dataset_read(&d, paths, 1, &in, data[0] & NARROW ? 3 : 0, &(struct log){ .level = -1 }, &e) == 0)
        use(&d);
    dataset_free(&d);
    return 0;
}
