/* A checkpoint as a record. */
#include "run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/num.h"
#include "run/picture.h"

#define FORMAT "dsgd-checkpoint 1"
enum {
    PLACE = sizeof(struct policy_place) / sizeof(uint64_t),
    FOLLOW = sizeof(struct policy_follow) / sizeof(double),
    OWN = 6, /* tensors beside the model's and the optimizer's */
    TENSORS = OWN + MEMORIES + LAYOUT_PARTS,
};

static struct tensor array(const char *name, enum dtype dtype, size_t rows, size_t cols,
                           const void *data)
{
    struct tensor t = { .dtype = dtype, .dims = cols > 0 ? 2 : 1, .shape = { rows, cols }, .data = data };
    snprintf(t.name, sizeof t.name, "%s", name);
    return t;
}

static void memory_name(char name[static TENSOR_NAME], const struct memory *m)
{
    snprintf(name, TENSOR_NAME, "optimizer.%s", m->name);
}

/* The largest elements come first, so that all stay aligned. */
static size_t tensors_of(struct tensor t[static TENSORS], const struct checkpoint_note *note,
                         const struct aggregate_state *s)
{
    const struct policy_mark *m = s->policy;
    static const uint64_t later = 0;
    size_t n = 0, p = (size_t)note->workers;
    t[n++] = array("crc32", DTYPE_I64, 1, 0, &later);
    t[n++] = array("policy.places", DTYPE_I64, p, PLACE, m->place);
    t[n++] = array("policy.contributors", DTYPE_I64, m->contributors, 0, m->contributor);
    t[n++] = array("policy.voided", DTYPE_I64, m->voids, 2, m->voided);
    t[n++] = array("policy.follow", DTYPE_F64, FOLLOW, 0, &m->follow);
    t[n++] = array("rows", DTYPE_I64, p, 0, s->rows);
    for (size_t i = 0; i < s->memories; i++) {
        char name[TENSOR_NAME];
        memory_name(name, &s->memory[i]);
        t[n++] = array(name, DTYPE_F32, note->shape->layout.size, 0, s->memory[i].v);
    }
    return n + model_tensors(&note->shape->layout, s->w, t + n);
}

static size_t bytes_of(const struct tensor *t)
{
    size_t n = dtype_size(t->dtype);
    for (unsigned i = 0; i < t->dims; i++)
        n *= t->shape[i];
    return n;
}

static void copy_all(unsigned char *to, const struct tensor *t, size_t n)
{
    for (size_t i = 0; i < n; to += bytes_of(&t[i]), i++)
        if (bytes_of(&t[i]) > 0)
            memcpy(to, t[i].data, bytes_of(&t[i]));
}

/* Of all tensors but the first, which holds it. */
static uint32_t crc_of(const struct tensor *t, size_t n)
{
    uLong crc = crc32(0, NULL, 0);
    for (size_t i = 1; i < n; i++)
        if (bytes_of(&t[i]) > 0)
            crc = crc32_z(crc, t[i].data, bytes_of(&t[i]));
    return (uint32_t)crc;
}

static int add_meta(json_t *meta, const struct checkpoint_note *n, const struct aggregate_state *s,
                    struct err *e)
{
    char *run = json_dumps(n->run, JSON_COMPACT);
    if (run == NULL)
        return err_memory(e);
    int rc = meta_set(meta, "checkpoint", e, "%s", FORMAT);
    if (rc == 0)
        rc = meta_set(meta, "run", e, "%s", run);
    if (rc == 0)
        rc = meta_set(meta, "K", e, "%ju", (uintmax_t)s->combine);
    if (rc == 0 && s->thrown != TRACE_NA)
        rc = meta_set(meta, "thrown", e, "%ju", (uintmax_t)s->thrown);
    if (rc == 0)
        rc = meta_set(meta, "trace_bytes", e, "%ju", (uintmax_t)n->trace.bytes);
    if (rc == 0)
        rc = meta_set(meta, "trace_crc32", e, "%ju", (uintmax_t)n->trace.crc);
    if (rc == 0 && n->trace.cut)
        rc = meta_set(meta, "trace_cut", e, "1");
    free(run);
    return rc;
}

int checkpoint_put(const struct checkpoint_note *note, const struct aggregate *a,
                   checkpoint_room *room, void *self, size_t *bytes, size_t *at, struct err *e)
{
    struct tensor t[TENSORS];
    struct aggregate_state s;
    aggregate_state(a, &s);
    size_t n = tensors_of(t, note, &s);
    json_t *meta = picture_meta(note->conf, note->shape, a, s.time, e);
    unsigned char *header = NULL, *to = NULL;
    if (meta != NULL && add_meta(meta, note, &s, e) == 0)
        header = record_header(t, n, meta, at, bytes, e);
    if (header != NULL)
        to = room(self, *bytes, e);
    if (to != NULL) {
        memcpy(to, header, *at);
        copy_all(to + *at, t, n);
    }
    free(header);
    json_decref(meta);
    return to == NULL ? -1 : 0;
}

/* Its data, of `rows` and `cols` (0: one dimension); *rows SIZE_MAX: as many as there are. NULL and e. */
static void *need(const struct record *r, const char *name, enum dtype dtype, size_t *rows,
                  size_t cols, struct err *e)
{
    const struct tensor *t = record_find(r, name);
    if (t == NULL || t->dtype != dtype || t->dims != (cols > 0 ? 2u : 1u) ||
        (cols > 0 && t->shape[1] != cols) || (*rows != SIZE_MAX && t->shape[0] != *rows)) {
        err_set(e, ERR_DATA, "tensor '%s' is %s", name, t == NULL ? "missing" : "of another shape");
        return NULL;
    }
    *rows = t->shape[0];
    return (void *)(uintptr_t)t->data;
}

static int read_policy(struct checkpoint *c, struct err *e)
{
    const struct record *r = &c->record;
    struct policy_mark *m = &c->policy;
    size_t p = (size_t)c->workers, follow = FOLLOW;
    m->contributors = m->voids = SIZE_MAX;
    m->version = c->model.iteration;
    m->place = need(r, "policy.places", DTYPE_I64, &p, PLACE, e);
    if (m->place == NULL)
        return -1;
    m->contributor = need(r, "policy.contributors", DTYPE_I64, &m->contributors, 0, e);
    if (m->contributor == NULL)
        return -1;
    m->voided = need(r, "policy.voided", DTYPE_I64, &m->voids, 2, e);
    if (m->voided == NULL)
        return -1;
    const void *v = need(r, "policy.follow", DTYPE_F64, &follow, 0, e);
    if (v == NULL)
        return -1;
    memcpy(&m->follow, v, sizeof m->follow);
    c->state.policy = m;
    c->state.rows = need(r, "rows", DTYPE_I64, &p, 0, e);
    return c->state.rows == NULL ? -1 : 0;
}

static int read_run(struct checkpoint *c, struct err *e)
{
    const char *text = meta_text(c->record.meta, "run");
    c->run = text == NULL ? NULL : json_loads(text, 0, NULL);
    json_int_t p = json_integer_value(json_object_get(c->run, "P"));
    if (p <= 0 || p > UINT32_MAX)
        return err_set(e, ERR_DATA, "metadata 'run': says of no run what it is");
    c->workers = (uint64_t)p;
    return 0;
}

static int read_numbers(struct checkpoint *c, struct err *e)
{
    const json_t *meta = c->record.meta;
    const char *loss = meta_text(meta, "loss");
    uint64_t trace_crc;
    c->state.iteration = c->model.iteration;
    c->state.time = c->model.time;
    c->state.w = c->model.w;
    c->state.loss = NAN;
    c->state.thrown = TRACE_NA;
    if ((loss != NULL && strcmp(loss, "NA") != 0 && meta_real(meta, "loss", &c->state.loss, e) < 0) ||
        meta_whole(meta, "K", &c->state.combine, e) < 0 ||
        (meta_text(meta, "thrown") != NULL && meta_whole(meta, "thrown", &c->state.thrown, e) < 0) ||
        meta_whole(meta, "trace_bytes", &c->trace.bytes, e) < 0 ||
        meta_whole(meta, "trace_crc32", &trace_crc, e) < 0)
        return -1;
    c->trace.crc = (uint32_t)trace_crc;
    c->trace.cut = meta_text(meta, "trace_cut") != NULL;
    return 0;
}

#ifdef DSGD_FUZZER
enum { GUESSED = 1 }; /* a fuzzer cannot, and would see nothing of what is behind it */
#else
enum { GUESSED = 0 };
#endif

static int check_crc(const struct record *r, struct err *e)
{
    size_t one = 1;
    const uint64_t *crc = need(r, "crc32", DTYPE_I64, &one, 0, e);
    if (crc == NULL)
        return -1;
    if (crc == r->tensors[0].data && (GUESSED || *crc == crc_of(r->tensors, r->n)))
        return 0;
    return err_set(e, ERR_DATA, "damaged: its tensors have another checksum than they were written with");
}

static int read_all(struct checkpoint *c, struct err *e)
{
    const char *format = meta_text(c->record.meta, "checkpoint");
    if (format == NULL || strcmp(format, FORMAT) != 0)
        return err_set(e, ERR_DATA, "is no checkpoint (" FORMAT "), as -C writes them");
    if (check_crc(&c->record, e) < 0)
        return -1;
    if (model_read(&c->model, &c->record, e) < 0 || read_run(c, e) < 0 || read_numbers(c, e) < 0)
        return -1;
    return read_policy(c, e);
}

int checkpoint_read(struct checkpoint *c, const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? 0 : err_sys(e, "%s", path);
    int rc = record_map(&c->record, fd, e);
    close(fd);
    if (rc == 0 && read_all(c, e) == 0)
        return 1;
    checkpoint_free(c);
    return err_ctx(e, "%s", path);
}

int checkpoint_memory(struct checkpoint *c, const struct aggregate *a, struct err *e)
{
    struct memory mine[MEMORIES];
    size_t size = c->model.layout.size;
    c->state.memories = aggregate_memory(a, mine);
    for (size_t i = 0; i < c->state.memories; i++) {
        char name[TENSOR_NAME];
        memory_name(name, &mine[i]);
        c->state.memory[i].name = mine[i].name;
        c->state.memory[i].v = need(&c->record, name, DTYPE_F32, &size, 0, e);
        if (c->state.memory[i].v == NULL)
            return -1;
    }
    return 0;
}

void checkpoint_free(struct checkpoint *c)
{
    model_free(&c->model);
    json_decref(c->run);
    record_free(&c->record);
    *c = (struct checkpoint){ 0 };
}
