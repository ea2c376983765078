/* Data sets in memory: parts, batches, streams of shards, features that a model does not have. */
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/shard.h"
#include "lib/tap.h"

static const struct log quiet = { .name = "test", .level = -1 };

/* A file in the folder of the test, for as long as the program runs. */
static char *file(const char *name, const char *text, size_t n)
{
    FILE *f = fopen(name, "wb");
    if (f == NULL || fwrite(text, 1, n, f) != n || fclose(f) != 0)
        exit(99);
    return (char *)name;
}

static bool read_all(struct dataset *d, char *const *paths, size_t n, const struct input *in,
                     size_t limit)
{
    struct err e = { 0 };
    *d = (struct dataset){ 0 };
    bool done = dataset_read(d, paths, n, in, limit, &quiet, &e) == 0;
    if (!done)
        printf("# %s\n", e.text);
    return done;
}

/* Shards 0 .. n-1 of one row each, one after the other: row i is of class i with value i at index
 * i. */
static void write_stream(const char *name, int n)
{
    struct err e = { 0 };
    struct out o = { 0 };
    struct classes c = { 0 };
    for (int i = 0; i < n; i++)
        classes_add(&c, (const char[]){ (char)('0' + i), 0 }, i, "here", (uint64_t)i, &e);
    json_t *data = json_pack("{s:s, s:i}", "format", "libsvm", "base", 1);
    out_open(&o, name, &e);
    for (int i = 0; i < n; i++) {
        int64_t indptr[] = { 0, 1 };
        int32_t index = i;
        float value = (float)i;
        double label = i;
        struct rows r = { .kind = ROWS_SPARSE, .n = 1, .features = (size_t)i + 1, .indptr = indptr,
                          .indices = &index, .values = &value, .labels = &label };
        struct shard_note note = { &c, data, "here", 1, (uint64_t)i, (uint64_t)n };
        shard_write(&o, &r, &note, &e);
    }
    out_commit(&o, &e);
    json_decref(data);
    classes_free(&c);
}

static void test_stream(void)
{
    struct dataset d = { 0 };
    struct err e = { 0 };
    uint64_t number = 1;
    struct input in = { .only = &number };
    char *input[] = { (char *)"-", NULL };
    write_stream("stream", 3);
    if (freopen("stream", "rb", stdin) == NULL)
        exit(99);
    ok(read_all(&d, input, 1, &in, 0) && d.rows == 1 && d.labels[0] == 1 && d.classes.n == 3,
       "shard 1 of the stream on stdin is the second");
    dataset_free(&d);
    number = 3;
    lseek(STDIN_FILENO, 0, SEEK_SET);
    ok(dataset_read(&d, input, 1, &in, 0, &quiet, &e) < 0 && e.kind == ERR_DATA &&
           same_text(e.text, "<stdin>: 3 shards, none is number 3 (they count from 0)"),
       "a shard that a stream lacks is an error of data");
}

static bool has_row(const struct batch *b, size_t i, double label, const float *x, size_t width)
{
    const struct rows *r = &b->rows;
    float got[8] = { 0 };
    if (r->kind == ROWS_DENSE)
        memcpy(got, r->x + i * r->features, r->features * sizeof *got);
    for (int64_t k = r->kind == ROWS_SPARSE ? r->indptr[i] : 0;
         r->kind == ROWS_SPARSE && k < r->indptr[i + 1]; k++)
        got[r->indices[k]] = r->values[k];
    return r->labels[i] == label && memcmp(got, x, width * sizeof *x) == 0;
}

static const float bytes_0[] = { 255 * (1.0f / 255), 0 }, bytes_1[] = { 0, 51 * (1.0f / 255) };
static const float sparse_0[] = { 0, 0, 5 }, sparse_1[] = { 0, 0, 0 };

static void test_batch(void)
{
    struct dataset d;
    struct batch b = { 0 };
    struct err e = { 0 };
    struct input images = { .labels = file("labels", "\0\0\x08\1\0\0\0\2\4\3", 10) };
    char *idx[] = { file("images", "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\2\377\0\0\63", 20) };
    if (ok(read_all(&d, idx, 1, &images, 0), "images are read")) {
        ok(d.parts[0].kind == ROWS_BYTES, "bytes stay bytes");
        uint64_t row[] = { 1, 0, 1 };
        ok(batch_gather(&b, &d, row, 3, NULL, &e) == 0 && b.rows.kind == ROWS_DENSE &&
               b.rows.n == 3 && has_row(&b, 0, 3, bytes_1, 2) && has_row(&b, 1, 4, bytes_0, 2) &&
               has_row(&b, 2, 3, bytes_1, 2),
           "a batch of bytes is floats between 0 and 1, in the order asked for");
        double other[] = { 7, 8 };
        ok(batch_gather(&b, &d, row, 1, other, &e) == 0 && b.rows.labels[0] == 8,
           "a batch takes the labels that it is given");
    }
    dataset_free(&d);
    struct input plain = { 0 };
    char *sparse[] = { file("a.svm", "1 3:5\n0\n", 8), file("b.svm", "0 2:9\n", 6) };
    if (ok(read_all(&d, sparse, 2, &plain, 0), "sparse files are read")) {
        uint64_t row[] = { 2, 1, 0 };
        ok(d.rows == 3 && d.features == 3, "rows and features are those of both files");
        ok(batch_gather(&b, &d, row, 3, NULL, &e) == 0 && b.rows.kind == ROWS_SPARSE &&
               has_row(&b, 2, 1, sparse_0, 3) && has_row(&b, 1, 0, sparse_1, 3) &&
               has_row(&b, 0, 0, (const float[]){ 0, 9, 0 }, 3),
           "a batch of sparse rows holds them in the order asked for");
    }
    dataset_free(&d);
    batch_free(&b);
}

/* Dense rows between shards, in one sparse batch. */
static void test_mixed(void)
{
    struct dataset d;
    struct batch b = { 0 };
    struct err e = { 0 };
    struct input in = { .label_column = "y" };
    write_stream("two", 2);
    char *paths[] = { (char *)"two", file("a.csv", "y,p,q\n2,0,6\n1,7,0\n", 18), (char *)"two" };
    if (ok(read_all(&d, paths, 3, &in, 0), "shards and raw files are read together")) {
        uint64_t row[] = { 0, 1, 2, 3, 4, 5 };
        ok(d.n_parts == 5 && d.rows == 6 && d.classes.n == 3,
           "parts are in the order of the operands");
        ok(batch_gather(&b, &d, row, 6, NULL, &e) == 0 && b.rows.kind == ROWS_SPARSE &&
               b.rows.indptr[6] == 6 && has_row(&b, 1, 1, (const float[]){ 0, 1 }, 2) &&
               has_row(&b, 2, 2, (const float[]){ 0, 6 }, 2) &&
               has_row(&b, 3, 1, (const float[]){ 7, 0 }, 2) &&
               has_row(&b, 5, 1, (const float[]){ 0, 1 }, 2),
           "dense rows among sparse ones give their values that are not 0");
        ok(json_array_size(d.shards) == 5 &&
               same_text(json_string_value(json_object_get(json_array_get(d.shards, 2), "file")),
                         "a.csv"),
           "every part is told with its file");
    }
    dataset_free(&d);
    batch_free(&b);
}

static void test_limit(void)
{
    struct dataset d;
    struct input in = { .label_column = "y" }, plain = { 0 };
    char *csv[] = { file("wide.csv", "y,p,q,r\n2,1,2,3\n1,4,5,6\n", 24) };
    if (ok(read_all(&d, csv, 1, &in, 2), "dense rows wider than the limit are read"))
        ok(d.features == 2 && d.parts[0].x[2] == 4 && d.parts[0].x[3] == 5,
           "columns beyond the limit are left out of dense rows");
    dataset_free(&d);
    char *svm[] = { file("wide.svm", "1 1:1 3:3\n0 9:9\n", 16), (char *)"two" };
    if (ok(read_all(&d, svm, 1, &plain, 2), "sparse rows wider than the limit are read"))
        ok(d.features == 1 && d.parts[0].indptr[2] == 1 && d.parts[0].indices[0] == 0,
           "indices beyond the limit are left out of sparse rows");
    dataset_free(&d);
    if (ok(read_all(&d, svm + 1, 1, &plain, 1), "a shard wider than the limit is read"))
        ok(d.features == 1 && d.rows == 2 && d.parts[1].indptr[1] == 0,
           "indices beyond the limit are left out of the rows of shards");
    dataset_free(&d);
}

static void test_names(void)
{
    struct dataset d;
    struct input in = { 0 };
    struct err e = { 0 };
    char *names[] = { file("n1.svm", "b 1:1\nc 1:1\n", 12), file("n2.svm", "a 1:1\nb 1:1\n", 12),
                      NULL };
    if (ok(read_all(&d, names, 2, &in, 0), "labels that are names are read"))
        ok(d.classes.named && d.classes.n == 3 && d.labels[0] == 1 && d.labels[1] == 2 &&
               d.labels[2] == 0 && d.labels[3] == 1,
           "a name's label is its place among all names");
    dataset_free(&d);
    write_stream("two", 2);
    char *mixed[] = { names[0], (char *)"two" };
    ok(dataset_read(&d, mixed, 2, &in, 0, &quiet, &e) < 0 && e.kind == ERR_DATA &&
           same_text(e.text, "two: label 'b' (n1.svm:1) is a name, label '0' (here) is a number"),
       "names in one file and numbers in another are refused with a place of each");
}

static void test_like(void)
{
    struct dataset d;
    json_t *like = json_pack("{s:s, s:i}", "format", "libsvm", "base", 0);
    struct input in = { .like = like };
    char *svm[] = { file("zero.svm", "1 0:1 1:2\n", 10) };
    ok(read_all(&d, svm, 1, &in, 0) && d.features == 2, "data are read as the model's were");
    dataset_free(&d);
    json_decref(like);
    like = json_pack("{s:s, s:b, s:i}", "format", "csv", "header", 0, "label_column", 2);
    in.like = like;
    char *csv[] = { file("like.csv", "5,1\n6,0\n", 8) };
    ok(read_all(&d, csv, 1, &in, 0) && d.rows == 2 && d.parts[0].x[1] == 6,
       "a CSV is read with the model's header and label column");
    dataset_free(&d);
    json_decref(like);
}

int main(void)
{
    char folder[] = "/tmp/dsgd-dataset.XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) < 0)
        return 99;
    test_stream();
    test_batch();
    test_mixed();
    test_limit();
    test_names();
    test_like();
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || tap_done();
}
