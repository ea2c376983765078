/* Which rows a minibatch has, its gradient in chunks, and what HELLO and WELCOME say. */
#include "run/compute.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/tap.h"
#include "run/minibatch.h"

/* --- minibatches --- */

/* Whether the minibatches of a pass have every row once; how long the last one is. */
static bool covers(const struct minibatch *m, uint64_t pass, size_t *last)
{
    uint64_t per = minibatch_pass(m);
    unsigned *times = calloc(m->rows, sizeof *times);
    uint64_t *row = calloc(m->size, sizeof *row);
    for (uint64_t i = 0; i < per; i++) {
        *last = minibatch_rows(m, pass * per + i, row);
        for (size_t k = 0; k < *last; k++)
            if (row[k] < m->rows)
                times[row[k]]++;
    }
    bool all = true;
    for (uint64_t i = 0; i < m->rows; i++)
        all = all && times[i] == 1;
    free(row);
    free(times);
    return all;
}

static bool differ(const struct minibatch *a, uint64_t seq, const struct minibatch *b, uint64_t at)
{
    uint64_t x[32], y[32];
    size_t n = minibatch_rows(a, seq, x), m = minibatch_rows(b, at, y);
    return n != m || memcmp(x, y, n * sizeof *x) != 0;
}

static void test_minibatches(void)
{
    struct minibatch m = { .seed = 1, .rank = 2, .rows = 1003, .size = 32 }, n = m;
    size_t last;
    ok(minibatch_pass(&m) == 32, "a pass has as many minibatches as it takes, the last one short");
    bool all = true;
    for (uint64_t pass = 0; pass < 4; pass++)
        all = covers(&m, pass, &last) && all;
    ok(minibatch_size(&m, 32 + 30) == 32 && minibatch_size(&m, 32 + 31) == 1003 - 31 * 32,
       "how many rows a minibatch has is known without them");
    ok(all && last == 1003 - 31 * 32, "a pass has every row once");
    struct minibatch one = { .rows = 1, .size = 1 }, even = { .rows = 64, .size = 32 };
    ok(covers(&one, 3, &last) && last == 1 && covers(&even, 0, &last) && last == 32 &&
           minibatch_pass(&even) == 2, "so it has with one row, and when nothing is left over");
    ok(!differ(&m, 40, &m, 40), "a minibatch has the same rows each time");
    n.rank = 3;
    bool by_rank = differ(&m, 0, &n, 0);
    n = m;
    n.seed = 2;
    ok(by_rank && differ(&m, 0, &n, 0) && differ(&m, 0, &m, 32),
       "other ranks, seeds and passes have other rows");
}

/* --- gradients --- */

enum { ROWS = 9000, FEATURES = 5, CLASSES = 3 };

/* Labels 1 and 3 of a run that knows 1, 2 and 3. */
static void write_data(char *path, size_t rows)
{
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    for (size_t i = 0; i < rows; i++)
        fprintf(f, "%d 1:%g 2:%g 5:1\n", i % 3 ? 1 : 3, 0.01 * (double)(i % 97),
                0.1 * (double)(i % 11));
    fclose(f);
}

static struct welcome make_welcome(uint64_t batch)
{
    struct err e = { 0 };
    struct welcome w = { .rank = 1, .workers = 2, .seed = UINT64_MAX, .batch = batch, .bias = 1 };
    w.model = strdup("softmax");
    w.features = FEATURES;
    w.timeout = 0.3;
    classes_add(&w.classes, "1", 1, "a:1", 0, &e);
    classes_add(&w.classes, "2", 2, "b:1", 0, &e);
    classes_add(&w.classes, "3", 3, "a:2", 1, &e);
    return w;
}

/* The mean over rows of (p - onehot(y)) x', p = 1/3 each at w = 0, in double. */
static void expected(size_t n, double *g)
{
    memset(g, 0, CLASSES * (FEATURES + 1) * sizeof *g);
    for (size_t i = 0; i < n; i++) {
        double x[FEATURES] = { 0.01 * (double)(i % 97), 0.1 * (double)(i % 11), 0, 0, 1 };
        for (size_t c = 0; c < CLASSES; c++) {
            double d = (1.0 / 3 - (c == (i % 3 ? 0 : 2))) / (double)n;
            for (size_t k = 0; k < FEATURES; k++)
                g[c * FEATURES + k] += d * x[k];
            g[CLASSES * FEATURES + c] += d;
        }
    }
}

static bool close_to(const float *g, const double *want, size_t n, double distance)
{
    for (size_t i = 0; i < n; i++)
        if (fabs((double)g[i] - want[i]) > distance)
            return false;
    return true;
}

static int chunks(struct compute *c, uint64_t seq)
{
    struct err e = { 0 };
    int n = 1;
    compute_begin(c, seq);
    while (compute_chunk(c, &e) > 0)
        n++;
    return n;
}

static void test_gradients(const struct dataset *d)
{
    struct err e = { 0 };
    struct welcome w = make_welcome(ROWS);
    struct compute *c = compute_open(d, &w, &e);
    double want[CLASSES * (FEATURES + 1)], loss;
    float first[CLASSES * (FEATURES + 1)];
    uint64_t rows;
    size_t weights = CLASSES * FEATURES, size = weights + CLASSES;
    if (!ok(c != NULL && compute_size(c) == size, "the parameters are those of the run's model"))
        return;
    expected(ROWS, want);
    ok(chunks(c, 0) > 1, "a large minibatch is computed in more than one chunk");
    const float *g = compute_gradient(c, &rows, &loss);
    ok(rows == ROWS && close_to(g, want, weights, 5e-5) && fabs(loss - log(3)) < 1e-6,
       "the gradient is the mean over all rows, labels as the run counts its classes");
    ok(close_to(g + weights, want + weights, CLASSES, 1e-7),
       "the bias, which has something of every row, is summed in double");
    memcpy(first, g, sizeof first);
    compute_begin(c, 1);
    compute_chunk(c, &e);
    chunks(c, 0);
    ok(memcmp(first, compute_gradient(c, &rows, &loss), sizeof first) == 0,
       "a minibatch that was left in the middle leaves no trace in the next");
    compute_close(c);
    welcome_free(&w);
}

/* Of sparse rows only what they touch is looked at: the bits stay. */
static void test_entries(const struct dataset *d)
{
    struct err e = { 0 };
    struct welcome w = make_welcome(40);
    struct compute *all = compute_open(d, &w, &e), *some = compute_open(d, &w, &e);
    uint64_t rows, rows_all;
    double loss, loss_all;
    bool same = all != NULL && some != NULL && compute_sparsely(some, &e) == 0 && compute_lists(some);
    ok(same && !compute_lists(all), "sparse rows have gradients of entries where they are asked for");
    for (uint64_t seq = 0; same && seq < 6; seq++) {
        chunks(all, seq);
        compute_begin(some, seq + 9); /* and leave it */
        if (seq % 2)
            compute_chunk(some, &e);
        chunks(some, seq);
        const float *want = compute_gradient(all, &rows_all, &loss_all);
        struct entries got = compute_entries(some, &rows, &loss);
        same = rows == rows_all && loss == loss_all && got.index != NULL && got.n <= compute_size(some) &&
               memcmp(compute_spread(some), want, compute_size(all) * sizeof *want) == 0;
        for (size_t k = 0; k < got.n; k++)
            same &= want[got.index[k]] == got.value[k] && (k == 0 || got.index[k - 1] < got.index[k]);
    }
    ok(same, "they are the gradient of all parameters, in order, whatever was left before");
    compute_close(all);
    compute_close(some);
    welcome_free(&w);
}

static void test_misfits(const struct dataset *d)
{
    struct err e = { 0 };
    struct welcome w = make_welcome(4);
    w.features = 3;
    ok(compute_open(d, &w, &e) == NULL && e.kind == ERR_PEER && strstr(e.text, "has 5 features"),
       "data wider than the run are refused");
    w.features = FEATURES;
    classes_free(&w.classes);
    classes_add(&w.classes, "1", 1, "a:1", 0, &e);
    classes_add(&w.classes, "2", 2, "a:1", 0, &e);
    ok(compute_open(d, &w, &e) == NULL && e.kind == ERR_PEER && strstr(e.text, "label 3 is no"),
       "a label that the run does not know is named");
    free(w.model);
    w.model = strdup("perceptron");
    ok(compute_open(d, &w, &e) == NULL && e.kind == ERR_PEER && strstr(e.text, "perceptron"),
       "a model that is not known here is named");
    welcome_free(&w);
}

/* --- HELLO and WELCOME --- */

static void test_hello(const struct dataset *d)
{
    struct err e = { 0 };
    struct hello h = { .program = (char[]){ "0.1.0" }, .name = (char[]){ "host:1" },
                       .kernel = (char[]){ "k" }, .blas = (char[]){ "b" }, .rank = RANK_ANY,
                       .rows = 7, .features = 5, .classes = d->classes, .data = d->meta,
                       .shards = d->shards };
    struct hello back = { 0 };
    char *text = hello_text(&h, &e), *again;
    ok(text && hello_parse(&back, text, strlen(text), &e) == 0 && back.rank == RANK_ANY &&
           back.rows == 7 && back.classes.n == 2 && strcmp(back.run, "") == 0 &&
           json_equal(back.data, d->meta) && json_equal(back.shards, d->shards),
       "HELLO reads back as it was");
    again = hello_text(&back, &e);
    ok(same_text(again, text), "and is written as it was read");
    free(again);
    free(text);
    hello_free(&back);
}

static void test_welcome(void)
{
    struct err e = { 0 };
    struct welcome w = make_welcome(4), back = { 0 };
    char *text = welcome_text(&w, &e);
    ok(text && welcome_parse(&back, text, strlen(text), &e) == 0 && back.seed == UINT64_MAX &&
           back.timeout == 0.3 && back.classes.n == 3 && back.bias == 1 &&
           strcmp(back.model, "softmax") == 0, "WELCOME reads back, all 64 bits of the seed");
    free(text);
    welcome_free(&back);
    welcome_free(&w);

    static const struct {
        const char *json, *why;
    } rows[] = {
        { "{", "WELCOME: JSON: " },
        { "[]", "WELCOME: is no JSON object" },
        { "{\"rank\":0}", "WELCOME: \"workers\" is missing" },
        { "{\"rank\":-1}", "WELCOME: \"rank\": is no whole number" },
        { "{\"rank\":0,\"workers\":1,\"seed\":1}", "\"seed\": is no whole number in quotes" },
        { "{\"rank\":0,\"workers\":1,\"seed\":\"1\",\"batch\":0,\"model\":\"x\",\"features\":1,"
          "\"classes\":[],\"bias\":true,\"shape\":null,\"tensors\":null,\"timeout\":1}", "batch or features is 0" },
        { "{\"rank\":1,\"workers\":1,\"seed\":\"1\",\"batch\":1,\"model\":\"x\",\"features\":1,"
          "\"classes\":[],\"bias\":true,\"shape\":null,\"tensors\":null,\"timeout\":1}", "rank 1 of 1 workers" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok(welcome_parse(&back, rows[i].json, strlen(rows[i].json), &e) < 0 && e.kind == ERR_PEER &&
               strstr(e.text, rows[i].why), "a WELCOME is refused: %s", e.text);
}

int main(void)
{
    char path[] = "/tmp/dsgd-compute-XXXXXX";
    char *paths[] = { path };
    struct dataset d = { 0 };
    struct input in = { 0 };
    struct log log = { .name = "compute", .level = 0 };
    struct err e = { 0 };
    test_minibatches();
    write_data(path, ROWS);
    int read = dataset_read(&d, paths, 1, &in, 0, &log, &e);
    unlink(path);
    if (ok(read == 0, "the data are read")) {
        test_gradients(&d);
        test_entries(&d);
        test_misfits(&d);
        test_hello(&d);
    }
    test_welcome();
    dataset_free(&d);
    return tap_done();
}
