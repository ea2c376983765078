/* Result rows on stdout: TSV with one header row, or the same as JSON Lines. */
#include "base/tsv.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* One line is one row, and one tab one column, whatever a text holds. */
static void plain(FILE *out, const char *s)
{
    for (; *s; s++)
        putc((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s, out);
}

static void quoted(FILE *out, const char *s)
{
    putc('"', out);
    for (; *s; s++) {
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)*s);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else
            putc(*s, out);
    }
    putc('"', out);
}

/* What goes before a cell: tabs, or the key. */
static void before(struct tsv *t)
{
    if (t->schema) {
        if (t->at == 0)
            fprintf(t->out, "{\"schema\":\"%s\"", t->schema);
        putc(',', t->out);
        quoted(t->out, t->columns[t->at]);
        putc(':', t->out);
    } else if (t->at)
        putc('\t', t->out);
    t->at++;
}

/* A number that is printed already, or "NA". */
static void number(struct tsv *t, const char *text)
{
    before(t);
    fputs(t->schema && strcmp(text, "NA") == 0 ? "null" : text, t->out);
}

void tsv_open(struct tsv *t, FILE *out, bool json, const char *schema, const char *const *columns)
{
    *t = (struct tsv){ .out = out, .schema = json ? schema : NULL, .columns = columns };
    for (size_t i = 0; !json && columns[i]; i++) {
        if (i > 0)
            putc('\t', out);
        plain(out, columns[i]);
    }
    if (!json)
        putc('\n', out);
}

void tsv_text(struct tsv *t, const char *s)
{
    before(t);
    if (s == NULL)
        fputs(t->schema ? "null" : "NA", t->out);
    else if (t->schema)
        quoted(t->out, s);
    else
        plain(t->out, s);
}

void tsv_whole(struct tsv *t, uint64_t v)
{
    char text[NUM_TEXT];
    snprintf(text, sizeof text, "%llu", (unsigned long long)v);
    number(t, v == UINT64_MAX ? "NA" : text);
}

void tsv_float(struct tsv *t, float v)
{
    char text[NUM_TEXT];
    number(t, num_print_float(text, v));
}

void tsv_real(struct tsv *t, double v)
{
    char text[NUM_TEXT];
    number(t, num_print_double(text, v));
}

void tsv_limit(struct tsv *t, double v)
{
    if (isinf(v))
        tsv_text(t, v > 0 ? "inf" : "-inf");
    else
        tsv_real(t, v);
}

void tsv_end(struct tsv *t)
{
    if (t->schema)
        putc('}', t->out);
    putc('\n', t->out);
    t->at = 0;
}

void tsv_flush(struct tsv *t)
{
    fflush(t->out);
}
