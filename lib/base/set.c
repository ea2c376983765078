/* Setters: a text from the command line or from a SPEC into one member of a conf. */
#include "base/set.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/num.h"

int set_text(void *target, const char *text, struct err *e)
{
    if (*text == '\0')
        return err_set(e, ERR_USAGE, "empty");
    *(const char **)target = text;
    return 0;
}

int set_path(void *target, const char *text, struct err *e)
{
    return set_text(target, text, e);
}

int set_flag(void *target, const char *text, struct err *e)
{
    (void)text, (void)e;
    *(bool *)target = true;
    return 0;
}

int set_clear(void *target, const char *text, struct err *e)
{
    (void)text, (void)e;
    *(bool *)target = false;
    return 0;
}

int set_whole(void *target, const char *text, struct err *e)
{
    return num_whole(text, target, e);
}

int set_count(void *target, const char *text, struct err *e)
{
    uint64_t v;
    if (num_whole(text, &v, e) < 0)
        return -1;
    if (v == 0)
        return err_set(e, ERR_USAGE, "must be at least 1");
    *(uint64_t *)target = v;
    return 0;
}

int set_real(void *target, const char *text, struct err *e)
{
    return num_real(text, target, e);
}

int set_positive(void *target, const char *text, struct err *e)
{
    double v;
    if (num_real(text, &v, e) < 0)
        return -1;
    if (!(v > 0))
        return err_set(e, ERR_USAGE, "must be greater than 0");
    *(double *)target = v;
    return 0;
}

int set_nonneg(void *target, const char *text, struct err *e)
{
    double v;
    if (num_real(text, &v, e) < 0)
        return -1;
    if (v < 0)
        return err_set(e, ERR_USAGE, "must be 0 or more");
    *(double *)target = v;
    return 0;
}

int set_part(void *target, const char *text, struct err *e)
{
    double v;
    if (num_real(text, &v, e) < 0)
        return -1;
    if (!(v > 0 && v < 1))
        return err_set(e, ERR_USAGE, "must be between 0 and 1");
    *(double *)target = v;
    return 0;
}

int set_duration(void *target, const char *text, struct err *e)
{
    return num_duration(text, target, e);
}

int set_period(void *target, const char *text, struct err *e)
{
    double v;
    if (num_duration(text, &v, e) < 0)
        return -1;
    if (!(v > 0))
        return err_set(e, ERR_USAGE, "must be greater than 0");
    *(double *)target = v;
    return 0;
}

int set_list(void *target, const char *text, struct err *e)
{
    struct text_list *l = target;
    if (*text == '\0')
        return err_set(e, ERR_USAGE, "empty");
    size_t cap = l->cap;
    if (mem_grow(&l->v, &cap, l->n + 1, sizeof *l->v, e) < 0)
        return -1;
    l->cap = cap;
    l->v[l->n++] = text;
    return 0;
}

int set_texts(void *target, const char *text, struct err *e)
{
    return set_list(target, text, e);
}
