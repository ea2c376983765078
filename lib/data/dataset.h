/* The rows that a program works on: shards mapped, raw files read into memory, one by one. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/classes.h"
#include "base/err.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/rows.h"

/* How raw data are read: what the data options of shard, worker and eval fill. Shards need none of
 * it. A text is NULL, a flag false, where nothing was said. */
struct input {
    struct spec format;       /* -f; empty or "auto": by the first bytes */
    const char *labels;       /* --labels FILE */
    const char *label_column; /* --label-column NAME|NUMBER */
    bool no_header;           /* --no-header */
    bool zero_based;          /* --zero-based */
    double max_ratio;         /* --max-ratio: what is compressed may become so many times as long; 0: 1000 */
    const char *weight_column; /* --weight-column NAME|NUMBER, of tables */
    const char *drop_columns; /* --drop-columns LIST */
    const char *categories;   /* --categories LIST; "auto": every column that begins with text */
    uint64_t hash_bits;       /* --hash-bits; 0: each category is a feature */
    const char *separator;    /* --separator */
    bool decimal_comma;       /* --decimal-comma */
    uint64_t skip_lines;      /* --skip-lines: of each file */
    const char *label_suffix; /* --label-suffix: left off the labels of tables */
    struct spec missing;      /* --missing; no plug: as like says, else an error */
    const char *na;           /* --na LIST: what else stands for a missing value */
    bool unlabelled;          /* nobody asks for labels: CSV may have no column of them, IDX no file */
    const uint64_t *only;     /* of the shards on stdin only this number, from 0; NULL: all */
    const json_t *like;       /* meta of the data that a model learned from, or NULL: says how data
                                 of the same format are read where the options say nothing, and
                                 how they are scaled */
    const struct classes *classes; /* labels that are known already, or NULL */
};

extern const struct table format_table;  /* auto libsvm csv tsv idx ... */
extern const struct table missing_table; /* error zero mean drop */
extern const struct table scaling_table; /* none minmax maxabs standard unit */

/* Option rows for these, for a conf with a struct input at `member`. */
#define INPUT_OPTS(conf, member)                                                                   \
    { "format", 'f', "FORMAT", "auto", "format of raw data, or 'help'", NULL,                      \
      offsetof(struct conf, member.format), &format_table },                                       \
    { "labels", 0, "FILE", NULL, "labels of arrays, tensors or tables, in a file of their own", set_text,      \
      offsetof(struct conf, member.labels), NULL },                                                \
    { "label-column", 0, "NAME|NUMBER", NULL,                                                      \
      "column that holds the label; columns count from 1", set_text,                               \
      offsetof(struct conf, member.label_column), NULL },                                          \
    { "weight-column", 0, "NAME|NUMBER", NULL, "column that says for how much a row counts", set_text, \
      offsetof(struct conf, member.weight_column), NULL },                                         \
    { "no-header", 0, NULL, NULL, "CSV starts with a row of data", set_flag,                       \
      offsetof(struct conf, member.no_header), NULL },                                             \
    { "max-ratio", 0, "N", "1000", "refuse what unpacks to more than N times its size", set_positive, \
      offsetof(struct conf, member.max_ratio), NULL },                                             \
    { "skip-lines", 0, "N", "0", "lines at the start of CSV that are no rows", set_whole,          \
      offsetof(struct conf, member.skip_lines), NULL },                                            \
    { "separator", 0, "C", NULL, "what stands between columns: a character, or 'blanks'", set_text, \
      offsetof(struct conf, member.separator), NULL },                                             \
    { "decimal-comma", 0, NULL, NULL, "numbers of CSV have a comma for the point", set_flag,       \
      offsetof(struct conf, member.decimal_comma), NULL },                                         \
    { "drop-columns", 0, "LIST", NULL, "columns to leave out: names, numbers, ranges", set_text,   \
      offsetof(struct conf, member.drop_columns), NULL },                                          \
    { "categories", 0, "LIST", NULL, "columns of categories, or 'auto': those that begin with text", set_text, \
      offsetof(struct conf, member.categories), NULL },                                            \
    { "hash-bits", 0, "B", NULL, "hash columns and categories into 2^B sparse features", set_count, \
      offsetof(struct conf, member.hash_bits), NULL },                                             \
    { "label-suffix", 0, "TEXT", NULL, "text at the end of labels that is left off", set_text,     \
      offsetof(struct conf, member.label_suffix), NULL },                                          \
    { "missing", 0, "RULE", NULL, "what becomes of missing values, or 'help'", NULL,               \
      offsetof(struct conf, member.missing), &missing_table },                                     \
    { "na", 0, "LIST", NULL, "what else stands for a missing value, with commas between", set_text, \
      offsetof(struct conf, member.na), NULL },                                                    \
    { "zero-based", 0, NULL, NULL, "libsvm indices start at 0 instead of 1", set_flag,             \
      offsetof(struct conf, member.zero_based), NULL }

/* What was read. Zeroed before use. */
struct dataset {
    struct rows *parts; /* one a shard, one for raw files in a row; labels as `labels` below */
    size_t n_parts;
    size_t rows;          /* in all */
    size_t features;      /* of the widest */
    struct classes classes; /* of all parts; empty v with .targets when there are too many */
    double *labels; /* (rows), owned: the number; when classes.named the index in classes */
    json_t *meta; /* what travels on to the model: format, base, header, label_column; owned */
    char *name;     /* of the first file, for messages */
    json_t *shards; /* array of {file, rows, crc32} for HELLO and the trace; owned */
    void *store;    /* what the parts point into */
};

/* Reads all operands ("-" once is stdin). Shards (known by their first bytes) are mapped; their
 * sizes, labels and checksum are checked. limit: 0, or the number of features kept;
 * what lies beyond is left out with one warning that names file, line and index. ERR_DATA with file
 * and place, ERR_SYSTEM. An input without a row is ERR_DATA. */
int dataset_read(struct dataset *d, char *const *paths, size_t n, const struct input *in,
                 size_t limit, const struct log *log, struct err *e);
void dataset_free(struct dataset *d);

/* Rows gathered into one contiguous block. Owns its memory; view it as rows. Zeroed before use. */
struct batch {
    struct rows rows; /* dense floats, or sparse when any part of the data is sparse */
    float *x, *values;
    int64_t *indptr;
    int32_t *indices;
    double *labels;
    float *weights;
    size_t x_cap, values_cap, indptr_cap, indices_cap, labels_cap, weights_cap;
};
/* Row numbers of the whole data set (0 .. rows-1), n of them, into b; labels from `labels`
 * (d->rows of them, e.g. class indices of the run), or d->labels when NULL. -1: ERR_SYSTEM. */
int batch_gather(struct batch *b, const struct dataset *d, const uint64_t *row, size_t n,
                 const double *labels, struct err *e);
void batch_free(struct batch *b);

#endif
