/* The table of policies. */
#include "policy/policy.h"

#define POLICY(name) extern const struct policy_ops policy_##name;
#include "policy/policy.def"
#undef POLICY

#define POLICY(name) &policy_##name.plug,
static const struct plug *const rows[] = {
#include "policy/policy.def"
    NULL,
};
#undef POLICY

const struct table policy_table = { "policy", rows };
