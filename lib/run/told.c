/* Rules that a run is given while it goes on. */
#include "run/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char policy_word[] = "policy ", step_word[] = "step ";

void told_free(struct told_rules *t)
{
    while (t->n > 0)
        spec_free(&t->old[--t->n]);
    free(t->old);
    *t = (struct told_rules){ 0 };
}

/* What stands behind the word, or NULL. */
static const char *behind(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0 ? text + strlen(word) : NULL;
}

bool told_is(const char *text)
{
    return behind(text, policy_word) != NULL || behind(text, step_word) != NULL;
}

int told_parse(const char *text, struct spec *policy, struct spec *step, struct err *e)
{
    const char *p = behind(text, policy_word), *s = behind(text, step_word);
    *policy = *step = (struct spec){ 0 };
    if (p != NULL && strcmp(p, "help") != 0)
        return spec_parse(policy, &policy_table, p, e);
    if (s != NULL && strcmp(s, "help") != 0)
        return step_parse(step, s, e);
    return err_set(e, ERR_USAGE, "'%.60s': write policy SPEC or step SPEC", text);
}

/* The old one is kept. Room was made before. */
static void swap(struct told_rules *t, struct spec *mine, const struct spec *other)
{
    t->old[t->n++] = *mine;
    *mine = *other;
}

static int make_room(struct told_rules *t, struct spec *s, struct err *e)
{
    if (mem_grow(&t->old, &t->cap, t->n + 1, sizeof *t->old, e) == 0)
        return 0;
    spec_free(s);
    return -1;
}

int told_policy(struct told_rules *t, struct train_conf *c, struct aggregate *a, double now, struct spec *policy,
                const struct policy_run *run, struct err *e)
{
    if (make_room(t, policy, e) < 0)
        return -1;
    int rc = aggregate_set_policy(a, now, policy, run, e);
    if (rc < 0 && e->kind == ERR_USAGE)
        spec_free(policy);
    else
        swap(t, &c->policy, policy);
    return rc;
}

int told_step(struct told_rules *t, struct train_conf *c, struct aggregate *a, double now, struct spec *step, struct err *e)
{
    if (make_room(t, step, e) < 0)
        return -1;
    struct spec was = c->step;
    c->step = *step; /* which the aggregate points at */
    int rc = aggregate_set_step(a, now, &c->step, e);
    if (rc == 0) {
        t->old[t->n++] = was;
        return 0;
    }
    spec_free(step);
    c->step = was;
    return -1;
}
