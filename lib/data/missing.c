/* Values that are missing. */
#include "data/missing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"

/* A row of the table. */
struct missing_ops {
    struct plug plug;
    enum missing_rule rule;
};

static const struct missing_ops to_error = {
    .plug = { .name = "error", .help = "a value that is missing is an error" },
    .rule = MISSING_ERROR,
};
static const struct missing_ops to_zero = {
    .plug = { .name = "zero", .help = "a number that is missing is 0, of categories there is none" },
    .rule = MISSING_ZERO,
};
static const struct missing_ops to_mean = {
    .plug = { .name = "mean", .help = "the mean of the rows trained on, or their most frequent category" },
    .rule = MISSING_MEAN,
};
static const struct missing_ops to_drop = {
    .plug = { .name = "drop", .help = "rows with a missing value are left out" },
    .rule = MISSING_DROP,
};

static const struct plug *const rows[] = { &to_error.plug, &to_zero.plug, &to_mean.plug, &to_drop.plug, NULL };
const struct table missing_table = { "rule for missing values", rows };

static enum missing_rule rule_of(const struct plug *row)
{
    return ((const struct missing_ops *)row)->rule;
}

const char *missing_name(enum missing_rule rule)
{
    return rows[rule]->name;
}

/* The next of the marks from *at on; false after the last. */
static bool next_mark(const char **at, const char **text, size_t *n)
{
    if (*at == NULL)
        return false;
    const char *comma = strchr(*at, ',');
    *text = *at;
    *n = comma ? (size_t)(comma - *at) : strlen(*at);
    *at = comma ? comma + 1 : NULL;
    return true;
}

static int find_numbers(struct missing *m, struct err *e)
{
    const char *at = m->marks, *text;
    size_t n;
    if (at == NULL)
        return 0;
    m->numbers = mem_new(strlen(at) + 1, sizeof *m->numbers, e);
    while (m->numbers != NULL && next_mark(&at, &text, &n))
        if (n > 0 && num_float(text, text + n, &m->numbers[m->n]) == text + n)
            m->n++;
    return m->numbers == NULL ? -1 : 0;
}

/* The rule that the rows of a model were read by. Where nobody asks for labels each row is wanted, and none is left
 * out without being told so. */
static int learned_rule(struct missing *m, const struct input *in, struct err *e)
{
    const json_t *was = json_object_get(in->like, "missing");
    const char *name = json_string_value(json_object_get(was, "method"));
    for (size_t i = 0; name != NULL && rows[i] != NULL; i++)
        if (strcmp(rows[i]->name, name) == 0) {
            m->rule = rule_of(rows[i]);
            if (m->rule == MISSING_DROP && in->unlabelled)
                m->rule = MISSING_ERROR;
            return 0;
        }
    return was == NULL ? 0 : err_set(e, ERR_DATA, "unknown rule for missing values '%.40s'", name ? name : "");
}

int missing_open(struct missing *m, const struct input *in, struct err *e)
{
    m->marks = in->na ? in->na : json_string_value(json_object_get(in->like, "na"));
    if (in->missing.plug != NULL)
        m->rule = rule_of(in->missing.plug);
    else if (learned_rule(m, in, e) < 0)
        return -1;
    return find_numbers(m, e);
}

void missing_free(struct missing *m)
{
    free(m->numbers);
    *m = (struct missing){ 0 };
}

bool missing_number(const struct missing *m, float v)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->numbers[i] == v)
            return true;
    return isnan(v);
}

bool missing_text(const struct missing *m, const char *text, size_t n)
{
    const char *at = m->marks, *mark;
    size_t length;
    if (n == 0 || (n == 1 && *text == '?') || (n == 2 && memcmp(text, "NA", 2) == 0) ||
        (n == 3 && strncasecmp(text, "nan", 3) == 0))
        return true;
    while (next_mark(&at, &mark, &length))
        if (length == n && memcmp(mark, text, n) == 0)
            return true;
    return false;
}
