/* Rules that a run is given while it goes on: "policy SPEC" and "step SPEC", as people and traces tell them. */
#ifndef RUN_TOLD_H
#define RUN_TOLD_H

#include "run/aggregate.h"
#include "run/train.h"

/* The rules from before: what was read from them is pointed at as long as the run goes on. Zeroed at first. */
struct told_rules {
    struct spec *old;
    size_t n, cap;
};
void told_free(struct told_rules *t);

/* Whether text is one of these. */
bool told_is(const char *text);
/* Reads the SPEC into a copy of the policy or step of c: *policy or *step, the other has no plug. ERR_USAGE. */
int told_parse(const char *text, struct spec *policy, struct spec *step, struct err *e);
/* It is c's from now on, and a's. run: as in policy_change. Takes the spec, also when it fails. */
int told_policy(struct told_rules *t, struct train_conf *c, struct aggregate *a, double now, struct spec *policy,
                const struct policy_run *run, struct err *e);
int told_step(struct told_rules *t, struct train_conf *c, struct aggregate *a, double now, struct spec *step, struct err *e);

#endif
