/* Options as rows: parsing, defaults and --help come from them. */
#include "base/opt.h"

#include <assert.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Known to every program; what they do is in act_of_own. */
static const struct opt own[] = {
    { "quiet", 'q', NULL, NULL, "say nothing that is not an error", NULL, 0, NULL },
    { "verbose", 'v', NULL, NULL, "say more", NULL, 0, NULL },
    { "help", 0, NULL, NULL, "print this and exit", NULL, 0, NULL },
    { "version", 0, NULL, NULL, "print the version and exit", NULL, 0, NULL },
    { 0 },
};
enum { OWN_QUIET, OWN_VERBOSE, OWN_HELP, OWN_VERSION, OWN };

enum { VALUE = 256 /* what getopt_long returns for row i is VALUE + i; letters lie below */ };

/* One call of opt_parse. */
struct parse {
    const struct program *p;
    char *conf;
    size_t n; /* rows of the program; the own ones follow */
    struct option *longs;
    char *letters;
    const struct table *print; /* some NAME=help was there */
    bool failed;
};

static const struct opt *row(const struct parse *s, size_t i)
{
    return i < s->n ? &s->p->opts[i] : &own[i - s->n];
}

static size_t count(const struct program *p)
{
    size_t n = 0;
    while (p->opts[n].name)
        n++;
    return n;
}

/* The rows as getopt_long wants them. */
static int tables(struct parse *s, struct err *e)
{
    size_t all = s->n + OWN, at = 0;
    s->longs = mem_new(all + 1, sizeof *s->longs, e);
    s->letters = mem_new(2 * all + 2, 1, e);
    if (s->longs == NULL || s->letters == NULL)
        return -1;
    s->letters[at++] = ':';
    for (size_t i = 0; i < all; i++) {
        const struct opt *o = row(s, i);
        s->longs[i] = (struct option){ o->name, o->arg ? required_argument : no_argument, NULL,
                                       VALUE + (int)i };
        if (o->letter)
            s->letters[at++] = o->letter;
        if (o->letter && o->arg)
            s->letters[at++] = ':';
    }
    return 0;
}

/* The row of what getopt_long returned (or left in optopt); NULL: none. */
static const struct opt *row_of(const struct parse *s, int value, size_t *i)
{
    for (*i = 0; *i < s->n + OWN; ++*i)
        if (value == VALUE + (int)*i || (value != 0 && value == row(s, *i)->letter))
            return row(s, *i);
    return NULL;
}

/* SPEC or RANGE=SPEC, which is kept as it is, as a text. */
static int check_spec(const struct table *t, const char *text, struct err *e)
{
    size_t range = strspn(text, "0123456789,-");
    struct spec s = { 0 };
    int rc = spec_parse(&s, t, range > 0 && text[range] == '=' ? text + range + 1 : text, e);
    spec_free(&s);
    return rc;
}

static int apply(char *conf, const struct opt *o, const char *text, struct err *e)
{
    void *target = conf + o->offset;
    if (o->set == set_list && o->table && check_spec(o->table, text, e) < 0)
        return -1;
    return o->set ? o->set(target, text, e) : spec_parse(target, o->table, text, e);
}

static void defaults(const struct program *p, char *conf)
{
    for (const struct opt *o = p->opts; o->name; o++) {
        struct err e = { 0 };
        int rc = o->def ? apply(conf, o, o->def, &e) : 0;
        assert(rc == 0 || e.kind == ERR_SYSTEM);
        (void)rc;
    }
}

/* An option that could not be taken. */
static int refused(const struct parse *s, const struct opt *o, const char *text, struct err *e)
{
    if (e->kind != ERR_USAGE)
        return err_ctx(e, "--%s '%s'", o->name, text);
    char why[sizeof e->text];
    memcpy(why, e->text, sizeof why);
    return err_set(e, ERR_USAGE, "--%s '%s': %s (see %s --help)", o->name, text, why, s->p->name);
}

static int unknown(const struct parse *s, char **argv, struct err *e)
{
    size_t i;
    const struct opt *o = row_of(s, optopt, &i);
    if (o)
        return err_set(e, ERR_USAGE, "option '--%s' takes no value (see %s --help)", o->name,
                       s->p->name);
    if (optopt)
        return err_set(e, ERR_USAGE, "unknown option '-%c' (see %s --help)", optopt, s->p->name);
    return err_set(e, ERR_USAGE, "unknown option '%s' (see %s --help)", argv[optind - 1],
                   s->p->name);
}

static int missing(const struct parse *s, struct err *e)
{
    size_t i;
    const struct opt *o = row_of(s, optopt, &i);
    return err_set(e, ERR_USAGE, "option '--%s' needs a value: %s (see %s --help)", o->name, o->arg,
                   s->p->name);
}

/* Prints s at column `at`, going on at column `left`, breaking between words before `right`. */
static void wrap(const char *s, size_t at, size_t left, size_t right)
{
    bool first = true;
    while (*s) {
        size_t word = strcspn(s, " ");
        if (!first && at + 1 + word > right) {
            printf("\n%*s", (int)left, "");
            at = left;
            first = true;
        }
        printf("%s%.*s", first ? "" : " ", (int)word, s);
        at += word + !first;
        first = false;
        s += word + (s[word] == ' ');
    }
    putchar('\n');
}

enum { HELP_COLUMN = 30, HELP_RIGHT = 80 };

static void help_row(const struct opt *o)
{
    char head[100], text[600];
    int n = snprintf(head, sizeof head, o->letter ? "  -%c, " : "      ", o->letter);
    snprintf(head + n, sizeof head - (size_t)n, "--%s%s%s", o->name, o->arg ? "=" : "",
             o->arg ? o->arg : "");
    snprintf(text, sizeof text, "%s%s%s%s", o->help, o->def ? " (default: " : "",
             o->def ? o->def : "", o->def ? ")" : "");
    if (strlen(head) + 2 > HELP_COLUMN)
        printf("%s\n%*s", head, HELP_COLUMN, "");
    else
        printf("%-*s", HELP_COLUMN, head);
    wrap(text, HELP_COLUMN, HELP_COLUMN, HELP_RIGHT);
}

static void help(const struct program *p)
{
    printf("Usage: %s %s\n", p->name, p->synopsis);
    wrap(p->purpose, 0, 0, HELP_RIGHT);
    printf("\nOptions:\n");
    for (const struct opt *o = p->opts; o->name; o++)
        help_row(o);
    for (const struct opt *o = own; o->name; o++)
        help_row(o);
    printf("\nExit status: 0 done; 1 the answer is no; 2 wrong command line; 3 bad data;\n"
           "4 the system refused; 5 a peer was lost. Manual: man %s\n",
           p->name);
}

/* 1: it printed and that is all; 0: go on. */
static int act_of_own(struct parse *s, size_t which)
{
    struct log *log = (struct log *)(void *)(s->conf + s->p->log);
    if (which == OWN_HELP)
        help(s->p);
    if (which == OWN_VERSION)
        printf("%s (dsgd) %s\n", s->p->name, PACKAGE_VERSION);
    if (which == OWN_QUIET)
        log->level = -1;
    if (which == OWN_VERBOSE)
        log->level = 1;
    return which == OWN_HELP || which == OWN_VERSION;
}

static void mark_given(const struct parse *s, size_t i)
{
    if (s->p->given != 0)
        *(uint64_t *)(void *)(s->conf + s->p->given) |= UINT64_C(1) << i;
}

/* One option of argv. The first failure is kept: a --help may still follow. */
static int act(struct parse *s, int value, char **argv, struct err *e)
{
    size_t i;
    const struct opt *o = row_of(s, value, &i);
    if (o && i >= s->n)
        return act_of_own(s, i - s->n);
    if (o && o->table && strcmp(optarg, "help") == 0) {
        s->print = s->print ? s->print : o->table;
        return 0;
    }
    struct err now = { 0 };
    int rc = 0;
    if (o == NULL)
        rc = value == ':' ? missing(s, &now) : unknown(s, argv, &now);
    else if (apply(s->conf, o, optarg, &now) < 0)
        rc = refused(s, o, optarg, &now);
    else
        mark_given(s, i);
    if (rc < 0 && !s->failed)
        *e = now;
    s->failed |= rc < 0;
    return 0;
}

static int options(struct parse *s, int argc, char **argv, struct err *e)
{
    int value;
    optind = 1;
    opterr = 0;
    while ((value = getopt_long(argc, argv, s->letters, s->longs, NULL)) != -1)
        if (act(s, value, argv, e))
            return 1;
    if (s->print) {
        table_print(s->print, stdout);
        return 1;
    }
    return s->failed ? -1 : 0;
}

int opt_parse(const struct program *p, int argc, char **argv, void *conf, int *first, struct err *e)
{
    struct parse s = { .p = p, .conf = conf, .n = count(p) };
    struct log *log = (struct log *)(void *)(s.conf + p->log);
    *log = (struct log){ .name = p->name };
    defaults(p, conf);
    int rc = tables(&s, e);
    if (rc == 0)
        rc = options(&s, argc, argv, e);
    if (rc == 1)
        *e = (struct err){ 0 };
    *first = optind;
    free(s.longs);
    free(s.letters);
    return rc;
}

bool opt_given(const struct opt *opts, uint64_t given, const char *name)
{
    for (size_t i = 0; opts[i].name != NULL; i++)
        if (strcmp(opts[i].name, name) == 0)
            return given >> i & 1;
    return false;
}

void opt_free(const struct program *p, void *conf)
{
    for (const struct opt *o = p->opts; o->name; o++) {
        void *target = (char *)conf + o->offset;
        if (o->set == set_list || o->set == set_texts)
            free(((struct text_list *)target)->v);
        else if (o->table)
            spec_free(target);
    }
}
