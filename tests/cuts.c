/* What is left of a file that was cut or damaged: the right rows, or a refusal. Every format, plain and in every
 * container, out of a file and out of a pipe. CUTS=all: at every byte; else at those near the ends and some between. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/dataset.h"
#include "lib/samples.h"
#include "lib/tap.h"

/* Bytes at either end where all cuts are tried, and cuts between. Sanitizers make each take fifty times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { NEAR = 2, BETWEEN = 2 };
#else
enum { NEAR = 24, BETWEEN = 40 };
#endif

/* --- what is promised --- */

/* How much of a file that nothing seals can be missing without being missed. */
enum seal {
    SEALED,  /* nothing: its length is told at the start or at the end */
    LINES,   /* lines; a cut line may be a shorter one */
    RECORDS, /* records */
};

static const struct sample {
    const char *format;
    void (*make)(struct bytes *);
    enum { WITHIN, BESIDE, THESE } labels; /* in the file, in one of their own, or they are what is cut */
    enum seal seal;
    unsigned before; /* lines before the first row */
    bool archive;
} samples[] = {
    { "libsvm", libsvm, WITHIN, LINES, 0, false },
    { "csv", csv, WITHIN, LINES, 1, false },
    { "tsv", tsv, WITHIN, LINES, 1, false },
    { "idx", idx, BESIDE, SEALED, 0, false },
    { "cifar10", cifar10, WITHIN, RECORDS, 0, false },
    { "cifar100", cifar100, WITHIN, RECORDS, 0, false },
    { "npy", npy, BESIDE, SEALED, 0, false },
    { "npy", npy_labels, THESE, SEALED, 0, false },
    { "npz", npz, WITHIN, SEALED, 0, true },
    { "npz", scipy, WITHIN, SEALED, 0, true },
    { "safetensors", shard, WITHIN, SEALED, 0, false },
    { "safetensors", foreign, WITHIN, SEALED, 0, false },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* One format in one container. */
struct trial {
    const struct sample *sample;
    const struct container *container; /* NULL: none */
    struct bytes plain, file;
    size_t seam;           /* cut here, the first half of plain is left; 0: there is no such place */
    bool sealed;
    struct dataset whole;  /* of plain */
    size_t times;          /* that its rows are in the file */
    char wrong[512];       /* the first cut that was answered wrongly */
};

/* The labels that some formats have in another file, rows that labels are for, and the SPEC of a format; made once. */
static char labels_path[64], rows_path[64];
static struct spec cifar100_spec;

/* The first record of CIFAR-100 can pass for one of CIFAR-10. */
static struct input input_of(const struct sample *s)
{
    bool ambiguous = strcmp(s->format, "cifar100") == 0;
    return (struct input){
        .format = ambiguous ? cifar100_spec : (struct spec){ 0 },
        .labels = s->labels != WITHIN ? labels_path : NULL,
        .label_column = strcmp(s->format, "csv") == 0 || strcmp(s->format, "tsv") == 0 ? "y" : NULL,
    };
}

/* A descriptor with the first n bytes: of a file, or of a pipe. */
static int open_bytes(const struct bytes *b, size_t n, bool piped)
{
    int fd[2] = { memfd_create("cut", 0), -1 };
    if (piped) {
        close(fd[0]);
        if (pipe(fd) < 0)
            exit(99);
    }
    int to = piped ? fd[1] : fd[0];
    if (to < 0 || write(to, b->v, n) != (ssize_t)n)
        exit(99);
    if (piped)
        close(fd[1]);
    return fd[0];
}

static int read_bytes(struct dataset *d, const struct trial *t, const struct bytes *b, size_t n, bool piped,
                      struct err *e)
{
    static const struct log quiet = { .name = "cuts", .level = -1 };
    struct input in = input_of(t->sample);
    char path[64], *paths[] = { path };
    int fd = open_bytes(b, n, piped);
    *d = (struct dataset){ 0 };
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    if (t->sample->labels == THESE) {
        in.labels = path;
        paths[0] = rows_path;
    }
    int status = dataset_read(d, paths, 1, &in, 0, &quiet, e);
    close(fd);
    return status;
}

static bool same_row(struct batch *a, const struct dataset *d, uint64_t i, struct batch *b, const struct dataset *whole,
                     uint64_t j)
{
    struct err e = { 0 };
    if (d->labels[i] != whole->labels[j] || batch_gather(a, d, &i, 1, NULL, &e) < 0 ||
        batch_gather(b, whole, &j, 1, NULL, &e) < 0 || a->rows.kind != b->rows.kind)
        return false;
    if (a->rows.kind == ROWS_DENSE)
        return a->rows.features == b->rows.features &&
               memcmp(a->rows.x, b->rows.x, a->rows.features * sizeof *a->rows.x) == 0;
    size_t n = (size_t)a->rows.indptr[1];
    return n == (size_t)b->rows.indptr[1] && memcmp(a->rows.indices, b->rows.indices, n * sizeof(int32_t)) == 0 &&
           memcmp(a->rows.values, b->rows.values, n * sizeof(float)) == 0;
}

/* Whether the first n rows are those of the whole, as often as it is there. */
static bool same_rows(const struct dataset *d, const struct dataset *whole, size_t n)
{
    struct batch a = { 0 }, b = { 0 };
    bool same = n <= d->rows;
    for (size_t i = 0; i < n && same; i++)
        same = same_row(&a, d, i, &b, whole, i % whole->rows);
    batch_free(&a);
    batch_free(&b);
    return same;
}

/* Rows that the first n bytes of the plain file hold whole, when nothing seals it. */
static size_t rows_within(const struct trial *t, size_t n)
{
    size_t lines = 0;
    if (t->sample->seal == RECORDS)
        return n / (t->plain.n / t->whole.rows);
    for (size_t i = 0; i < n; i++)
        lines += t->plain.v[i] == '\n';
    return lines > t->sample->before ? lines - t->sample->before : 0;
}

/* The rows of data that end anywhere. */
static bool is_any_shorter(const struct trial *t, const struct dataset *d)
{
    bool lines = t->sample->seal == LINES;
    if (t->sample->seal == SEALED || d->rows > t->whole.rows)
        return false;
    return same_rows(d, &t->whole, d->rows - lines);
}

/* Whether these rows may be read of a plain file that is cut behind n bytes. */
static bool is_shorter(const struct trial *t, const struct dataset *d, size_t n)
{
    size_t within = rows_within(t, n);
    bool in_line = t->sample->seal == LINES && t->plain.v[n - 1] != '\n';
    if (t->sample->seal == SEALED || !same_rows(d, &t->whole, within))
        return false;
    return d->rows == within || (in_line && d->rows == within + 1);
}

static bool is_right(const struct trial *t, const struct dataset *d, size_t n)
{
    if (d->rows == t->times * t->whole.rows && same_rows(d, &t->whole, d->rows))
        return true;
    if (t->container == NULL)
        return is_shorter(t, d, n);
    if (t->container->kind == OPEN)
        return is_any_shorter(t, d);
    return t->seam > 0 && n == t->seam && is_shorter(t, d, t->plain.n / 2);
}

static bool is_refusal(const struct err *e)
{
    return e->kind == ERR_DATA && strncmp(e->text, "/dev/fd/", 8) == 0 && strstr(e->text, "(null)") == NULL &&
           strchr(e->text, ':') != NULL;
}

static void try_cut(struct trial *t, size_t n, bool piped)
{
    struct dataset d;
    struct err e = { 0 };
    bool read = read_bytes(&d, t, &t->file, n, piped, &e) == 0;
    bool good = read ? is_right(t, &d, n) : n < t->file.n && is_refusal(&e);
    if (!good && t->wrong[0] == '\0')
        snprintf(t->wrong, sizeof t->wrong, "cut behind %zu of %zu bytes%s: %zu rows, status %d: %.300s", n, t->file.n,
                 piped ? " of a pipe" : "", read ? d.rows : 0, (int)e.kind, e.text);
    dataset_free(&d);
}

/* One bit of byte n turned over. */
static void try_flip(struct trial *t, size_t n)
{
    struct dataset d;
    struct err e = { 0 };
    t->file.v[n] ^= (unsigned char)(1 << n % 8);
    bool read = read_bytes(&d, t, &t->file, t->file.n, false, &e) == 0;
    t->file.v[n] ^= (unsigned char)(1 << n % 8);
    bool good = read ? is_right(t, &d, t->file.n) : is_refusal(&e);
    if (!good && t->wrong[0] == '\0')
        snprintf(t->wrong, sizeof t->wrong, "bit of byte %zu of %zu: %zu rows, status %d: %.300s", n, t->file.n,
                 read ? d.rows : 0, (int)e.kind, e.text);
    dataset_free(&d);
}

static bool is_tried(size_t n, size_t size, bool all)
{
    return all || n < NEAR || n + NEAR > size || n % (size / BETWEEN + 1) == 0;
}

static void run_trial(struct trial *t, bool all)
{
    t->wrong[0] = '\0';
    for (size_t n = 0; n <= t->file.n; n++)
        for (int piped = 0; piped < 2; piped++)
            if (is_tried(n, t->file.n, all) || n == t->seam)
                try_cut(t, n, piped);
    ok(t->wrong[0] == '\0', "%s%s %s%s: cut anywhere, it is refused or the rows are right",
       t->sample->format, t->sample->labels == THESE ? " of labels" : "",
       t->container ? "in " : "plain", t->container ? t->container->name : "");
    if (t->wrong[0] != '\0')
        printf("# %s\n", t->wrong);
}

/* Whether byte n is in a block of a tar that is a header. */
static bool in_header(const struct bytes *b, size_t n)
{
    enum { BLOCK = 512, MAGIC = 257 };
    return memcmp(b->v + n / BLOCK * BLOCK + MAGIC, "ustar", 5) == 0;
}

/* Bytes in front of the list of members at the end of a zip. */
static size_t members_end(const struct bytes *b)
{
    size_t n = 0;
    while (n + 4 < b->n && memcmp(b->v + n, "PK\1\2", 4) != 0)
        n++;
    return n;
}

static bool is_flipped(const struct trial *t, size_t n, bool all)
{
    const struct bytes *b = &t->file;
    if (t->container->summed == HEADERS)
        return in_header(b, n) && (all || n % (7 * 24 / NEAR) == 0);
    return (t->container->summed == ALL || n < members_end(b)) && is_tried(n, b->n, all);
}

/* For what has a checksum. */
static void run_flips(struct trial *t, bool all)
{
    t->wrong[0] = '\0';
    for (size_t n = 0; n < t->file.n; n++)
        if (is_flipped(t, n, all))
            try_flip(t, n);
    ok(t->wrong[0] == '\0', "%s in %s: with a bit of what has a checksum turned over, it is refused or the rows are right",
       t->sample->format, t->container->name);
    if (t->wrong[0] != '\0')
        printf("# %s\n", t->wrong);
}

static void try_container(struct trial *t, const struct container *c, bool all)
{
    const struct member members[] = { { "a", &t->plain }, { "b", &t->plain } };
    t->container = c;
    t->times = c->kind == ARCHIVE && t->sample->labels == WITHIN ? 2 : 1;
    t->seam = t->file.n = 0;
    pack(&t->file, c, members, t->times);
    run_trial(t, all);
    if (c->summed != NOTHING)
        run_flips(t, all);
}

/* The two halves of the file, packed one by one. */
static void try_streams(struct trial *t, const struct container *c, bool all)
{
    struct bytes *half = calloc(2, sizeof *half);
    put(&half[0], t->plain.v, t->plain.n / 2);
    put(&half[1], t->plain.v + t->plain.n / 2, t->plain.n - t->plain.n / 2);
    t->container = c;
    t->times = 1;
    t->file.n = 0;
    pack(&t->file, c, (const struct member[]){ { "a", &half[0] } }, 1);
    t->seam = t->file.n;
    pack(&t->file, c, (const struct member[]){ { "b", &half[1] } }, 1);
    run_trial(t, all);
    free(half);
}

static void try_sample(struct trial *t, const struct sample *s, bool all)
{
    struct err e = { 0 };
    *t = (struct trial){ .sample = s, .times = 1 };
    s->make(&t->plain);
    if (!ok(read_bytes(&t->whole, t, &t->plain, t->plain.n, false, &e) == 0, "%s is read", s->format)) {
        printf("# %s\n", e.text);
        return;
    }
    put(&t->file, t->plain.v, t->plain.n);
    run_trial(t, all);
    for (size_t i = 0; i < CONTAINERS; i++)
        if (containers[i].kind != ARCHIVE || !s->archive)
            try_container(t, &containers[i], all);
    for (size_t i = 0; i < CONTAINERS; i++)
        if (containers[i].kind == MANY)
            try_streams(t, &containers[i], all);
    dataset_free(&t->whole);
}

int main(void)
{
    const char *cuts = getenv("CUTS");
    bool all = cuts != NULL && strcmp(cuts, "all") == 0;
    struct err e = { 0 };
    struct bytes *y = calloc(1, sizeof *y);
    struct trial *t = calloc(1, sizeof *t);
    if (y == NULL || t == NULL)
        return 99;
    npy_labels(y);
    snprintf(labels_path, sizeof labels_path, "/dev/fd/%d", open_bytes(y, y->n, false));
    y->n = 0;
    npy(y);
    snprintf(rows_path, sizeof rows_path, "/dev/fd/%d", open_bytes(y, y->n, false));
    if (spec_parse(&cifar100_spec, &format_table, "cifar100", &e) < 0)
        return 99;
    for (size_t i = 0; i < SAMPLES; i++)
        try_sample(t, &samples[i], all);
    spec_free(&cifar100_spec);
    free(t);
    free(y);
    return tap_done();
}
