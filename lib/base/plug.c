/* Tables of plug-ins and the SPECs that choose from them: NAME[:ITEM,ITEM...]. */
#include "base/plug.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Names for a message: "sync, k-sync, async". */
struct names {
    char text[600];
    size_t n;
};

ERR_PRINTF(2)
static void name(struct names *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (l->n < sizeof l->text)
        l->n += (size_t)vsnprintf(l->text + l->n, sizeof l->text - l->n, fmt, ap);
    va_end(ap);
}

static const struct param *params_of(const struct plug *p)
{
    static const struct param none[] = { { 0 } };
    return p->params ? p->params : none;
}

static int unknown_name(const struct table *t, const char *text, struct err *e)
{
    struct names l = { 0 };
    for (const struct plug *const *row = t->rows; *row; row++)
        name(&l, "%s%s", l.n ? ", " : "", (*row)->name);
    return err_set(e, ERR_USAGE, "unknown %s '%s': known are %s", t->noun, text, l.text);
}

static int unknown_key(const struct plug *p, const char *what, const char *text, struct err *e)
{
    struct names l = { 0 };
    for (const struct param *q = params_of(p); q->name; q++)
        name(&l, "%s%s", l.n ? ", " : "", q->name);
    return err_set(e, ERR_USAGE, "%s '%s': %s takes %s", what, text, p->name,
                   l.n ? l.text : "none");
}

static const struct plug *find(const struct table *t, const char *text)
{
    const struct plug *const *row = t->rows;
    while (*row && strcmp((*row)->name, text) != 0)
        row++;
    return *row;
}

/* Parameters of one SPEC as they are filled. */
struct filling {
    const struct plug *plug;
    char *conf;
    uint64_t given; /* a bit a parameter */
    size_t values;  /* VALUEs so far */
    bool keys;      /* a key=value was there */
};

static int fill(struct filling *f, const struct param *q, const char *text, struct err *e)
{
    f->given |= UINT64_C(1) << (q - f->plug->params);
    if (q->set(f->conf + q->offset, text, e) < 0)
        return err_ctx(e, "%s '%s'", q->name, text);
    return 0;
}

static int fill_value(struct filling *f, const char *text, struct err *e)
{
    if (f->keys)
        return err_set(e, ERR_USAGE, "value '%s' after a key: write key=value", text);
    const struct param *q = params_of(f->plug);
    for (size_t i = 0; q->name && !f->plug->many && i < f->values; i++)
        q++;
    if (q->name == NULL)
        return unknown_key(f->plug, "no parameter is left for", text, e);
    f->values++;
    return fill(f, q, text, e);
}

static int fill_item(struct filling *f, char *item, struct err *e)
{
    if (*item == '\0')
        return err_set(e, ERR_USAGE, "an item is empty: write %s:VALUE or %s:key=value",
                       f->plug->name, f->plug->name);
    char *equals = strchr(item, '=');
    if (equals == NULL)
        return fill_value(f, item, e);
    *equals = '\0';
    f->keys = true;
    for (const struct param *q = params_of(f->plug); q->name; q++)
        if (strcmp(q->name, item) == 0)
            return fill(f, q, equals + 1, e);
    return unknown_key(f->plug, "unknown parameter", item, e);
}

static int fill_items(struct filling *f, char *items, struct err *e)
{
    if (items && params_of(f->plug)->set == set_path)
        return fill(f, f->plug->params, items, e);
    while (items) {
        char *next = strchr(items, ',');
        if (next)
            *next++ = '\0';
        if (fill_item(f, items, e) < 0)
            return -1;
        items = next;
    }
    return 0;
}

static int fill_defaults(struct filling *f, struct err *e)
{
    for (const struct param *q = params_of(f->plug); q->name; q++)
        if (q->def && fill(f, q, q->def, e) < 0)
            return -1;
    f->given = 0;
    return 0;
}

static int fill_check(struct filling *f, struct err *e)
{
    for (const struct param *q = params_of(f->plug); q->name; q++)
        if (q->def == NULL && !(f->given >> (q - f->plug->params) & 1))
            return err_set(e, ERR_USAGE, "%s needs %s (%s)", f->plug->name, q->name, q->help);
    return f->plug->check ? f->plug->check(f->conf, e) : 0;
}

/* The conf and, behind it, the text cut at its colon and commas: what set_text points to. */
static int parse(struct spec *s, const struct table *t, const char *text, struct err *e)
{
    size_t room = strlen(text) + 1;
    char *cut = malloc(room);
    if (cut == NULL)
        return err_memory(e);
    memcpy(cut, text, room);
    char *items = strchr(cut, ':');
    if (items)
        *items++ = '\0';
    s->plug = find(t, cut);
    int rc = s->plug ? 0 : unknown_name(t, cut, e);
    if (rc == 0 && (s->conf = mem_new(s->plug->conf + room, 1, e)) != NULL) {
        struct filling f = { .plug = s->plug, .conf = s->conf };
        char *kept = f.conf + s->plug->conf;
        memcpy(kept, cut, room);
        rc = fill_defaults(&f, e);
        if (rc == 0)
            rc = fill_items(&f, items ? kept + (items - cut) : NULL, e);
        if (rc == 0)
            rc = fill_check(&f, e);
    }
    free(cut);
    return rc < 0 || s->conf == NULL ? -1 : 0;
}

int spec_parse(struct spec *s, const struct table *t, const char *text, struct err *e)
{
    spec_free(s);
    s->text = mem_text(text, e);
    if (s->text != NULL && parse(s, t, text, e) == 0)
        return 0;
    spec_free(s);
    return -1;
}

void spec_free(struct spec *s)
{
    for (const struct param *q = s->conf ? params_of(s->plug) : NULL; q && q->name; q++)
        if (q->set == set_list)
            free(((struct text_list *)(void *)((char *)s->conf + q->offset))->v);
    if (s->conf && s->plug->release)
        s->plug->release(s->conf);
    free(s->conf);
    free(s->text);
    *s = (struct spec){ 0 };
}

void table_print(const struct table *t, FILE *out)
{
    for (const struct plug *const *row = t->rows; *row; row++) {
        fprintf(out, "%-16s %s\n", (*row)->name, (*row)->help);
        for (const struct param *q = params_of(*row); q->name; q++) {
            fprintf(out, "  %-14s %s", q->name, q->help);
            if (q->def)
                fprintf(out, " (default: %s)\n", q->def);
            else
                fputs(" (required)\n", out);
        }
    }
}
