/* May this worker take part? What a HELLO must agree with. */
#include "run/server/admission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a time that does not tell how much of it is right. */
static bool token_right(const struct peer *p, const unsigned char *token)
{
    const char *right = p->via == NULL ? "" : p->via->address.token;
    unsigned char wrong = 0;
    if (*right == '\0')
        return true;
    for (size_t i = 0; i < TOKEN_TEXT; i++)
        wrong |= token[i] ^ (unsigned char)right[i];
    return wrong == 0;
}

/* "host:42, shard-1" */
static void name(struct peer *p)
{
    const struct hello *h = &p->hello;
    size_t n = json_array_size(h->shards);
    const char *file = json_string_value(json_object_get(json_array_get(h->shards, 0), "file"));
    char more[40] = "";
    if (n > 1)
        snprintf(more, sizeof more, " and %zu more", n - 1);
    snprintf(p->label, sizeof p->label, "%s%s%s%s", h->name, file == NULL ? "" : ", ",
             file == NULL ? "" : file, more);
}

static int right_run(const struct server *s, const struct hello *h, struct err *e)
{
    const char *ours = s->conf->run == NULL ? "" : s->conf->run;
    if (h->run == NULL || h->run[0] == '\0' || strcmp(h->run, ours) == 0)
        return 0;
    return err_set(e, ERR_PEER, "it asks for run '%s', this is '%s'", h->run, ours);
}

/* Before the start: with those that are ready it must make a data set that suits the model. */
static int fits_others(const struct server *s, const struct peer *p, struct err *e)
{
    const struct spec *model = &s->conf->train.model;
    struct shape all = { 0 };
    int rc = model_fits(model, &p->hello.classes, true, e);
    if (rc == 0)
        rc = roster_unite(s, &all, e);
    if (rc == 0)
        rc = shape_add(&all, model, p->hello.features, &p->hello.classes, e);
    if (rc == 0)
        rc = model_fits(model, &all.classes, true, e);
    shape_free(&all);
    for (uint64_t r = 0; r < s->workers && rc == 0; r++)
        if (s->places[r].peer != NULL)
            rc = shape_same_reading(p->hello.data, p->label, s->places[r].peer->hello.data,
                                    s->places[r].peer->label, e);
    return rc;
}

static int knows(const struct classes *c, const struct label *l)
{
    return (c->named ? classes_find_name(c, l->name) : classes_find_value(c, l->value)) >= 0;
}

/* After the start: the model's size is given. */
static int fits_run(const struct server *s, const struct peer *p, struct err *e)
{
    const struct hello *h = &p->hello;
    if (model_fits(&s->conf->train.model, &h->classes, true, e) < 0)
        return -1;
    if (h->features > s->shape.dims.features)
        return err_set(e, ERR_DATA, "%s: %ju features, this run has %ju", p->label,
                       (uintmax_t)h->features, (uintmax_t)s->shape.dims.features);
    if (model_row(&s->conf->train.model)->target != TARGET_REAL && !s->shape.classes.targets)
        for (size_t i = 0; i < h->classes.n; i++)
            if (h->classes.named != s->shape.classes.named ||
                !knows(&s->shape.classes, &h->classes.v[i]))
                return err_set(e, ERR_DATA, "%s: label %s is not one of this run",
                               h->classes.v[i].where, h->classes.v[i].name);
    return shape_same_reading(h->data, p->label, s->shape.data, "this run", e);
}

int admission_token(const struct peer *p, const unsigned char *token, struct err *e)
{
    if (token_right(p, token))
        return 0;
    return err_set(e, ERR_PEER,
                   "the token is not that of this server, or not any more; take its address as it is given now");
}

int admission_check(struct peer *p, const unsigned char *payload, size_t n, struct err *e)
{
    struct server *s = p->server;
    if (admission_token(p, payload, e) < 0)
        return -1;
    if (hello_parse(&p->hello, (const char *)payload + TOKEN_TEXT, n - TOKEN_TEXT, e) < 0)
        return -1;
    name(p);
    if (p->hello.rows == 0)
        return err_set(e, ERR_DATA, "%s: has no rows to train on", p->label);
    if (right_run(s, &p->hello, e) < 0)
        return -1;
    return s->phase == PHASE_GATHER && s->resumed == NULL ? fits_others(s, p, e) : fits_run(s, p, e);
}
