/* What a program answered: which question, and a gradient, checked before it is believed. */
#include "run/answer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

/* What is wrong with it is its writer's fault. */
static int blame(int status, struct err *e)
{
    if (status < 0)
        e->kind = ERR_PEER;
    return status;
}

int answer_seq(const struct record *r, uint64_t *seq, struct err *e)
{
    if (meta_text(r->meta, "seq") == NULL)
        return 0;
    return blame(meta_whole(r->meta, "seq", seq, e), e);
}

/* A number, or what programs write for those that are none: nan, inf, -Infinity ... */
static int read_loss(const json_t *meta, double *loss, struct err *e)
{
    static const struct {
        const char *text;
        double value;
    } others[] = { { "nan", NAN }, { "inf", INFINITY }, { "infinity", INFINITY } };
    const char *text = meta_text(meta, "loss");
    bool minus = text != NULL && *text == '-';
    for (size_t i = 0; text != NULL && i < sizeof others / sizeof *others; i++)
        if (strcasecmp(text + minus, others[i].text) == 0) {
            *loss = minus ? -others[i].value : others[i].value;
            return 0;
        }
    return meta_real(meta, "loss", loss, e);
}

static const struct part *find_part(const struct layout *l, const char *name, size_t likely)
{
    if (likely < l->n && strcmp(l->parts[likely].name, name) == 0)
        return &l->parts[likely];
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->parts[i].name, name) == 0)
            return &l->parts[i];
    return NULL;
}

static int check_tensor(const struct tensor *t, const struct part *p, struct err *e)
{
    if (p == NULL)
        return err_set(e, ERR_PEER, "the model has no such tensor");
    if (t->dtype != DTYPE_F32)
        return err_set(e, ERR_PEER, "%s, must be F32", dtype_name(t->dtype));
    if (t->dims != p->dims)
        return err_set(e, ERR_PEER, "%u dimensions, that of the model has %u", t->dims, p->dims);
    for (unsigned i = 0; i < t->dims; i++)
        if (t->shape[i] != p->shape[i])
            return err_set(e, ERR_PEER, "dimension %u is %zu, that of the model %zu", i, t->shape[i], p->shape[i]);
    return 0;
}

static int missing(const struct record *r, const struct layout *l, struct err *e)
{
    size_t i = 0;
    while (record_find(r, l->parts[i].name) != NULL)
        i++; /* there are fewer than parts, each with a name of its own: one is not there */
    return err_set(e, ERR_PEER, "tensor '%s': missing", l->parts[i].name);
}

int answer_take(const struct record *r, const struct layout *l, uint64_t most, float *g, uint64_t *rows, double *loss,
                struct err *e)
{
    if (blame(read_loss(r->meta, loss, e), e) < 0 || blame(meta_whole(r->meta, "rows", rows, e), e) < 0)
        return -1;
    if (*rows == 0 || *rows > most)
        return err_set(e, ERR_PEER, "metadata 'rows': %" PRIu64 "; the minibatch has %" PRIu64, *rows, most);
    for (size_t i = 0; i < r->n; i++) {
        const struct tensor *t = &r->tensors[i];
        const struct part *p = find_part(l, t->name, i);
        if (check_tensor(t, p, e) < 0)
            return err_ctx(e, "tensor '%s'", t->name);
        memcpy(g + p->offset, t->data, p->size * sizeof *g);
    }
    return r->n == l->n ? 0 : missing(r, l, e);
}
