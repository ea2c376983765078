/* Result rows on stdout: TSV with one header row, or the same as JSON Lines. */
#ifndef BASE_TSV_H
#define BASE_TSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Cells are given left to right, tsv_end after the last. Columns: names, ends with NULL. An object of JSON starts with
 * a member "schema", which names the table: "dsgd-plan/1". Its number grows when a column goes or means something
 * else, not when one is added. */
struct tsv {
    FILE *out;
    const char *schema; /* of JSON Lines; NULL: TSV */
    const char *const *columns;
    size_t at; /* next column */
};

/* Prints the header of TSV. */
void tsv_open(struct tsv *t, FILE *out, bool json, const char *schema, const char *const *columns);
void tsv_text(struct tsv *t, const char *s);   /* NULL: NA (JSON null) */
void tsv_whole(struct tsv *t, uint64_t v);     /* UINT64_MAX: NA */
void tsv_float(struct tsv *t, float v);        /* not finite: NA */
void tsv_real(struct tsv *t, double v);        /* not finite: NA */
void tsv_limit(struct tsv *t, double v);       /* infinite: inf (JSON "inf"); NAN: NA */
void tsv_end(struct tsv *t);                   /* ends the row */
void tsv_flush(struct tsv *t);                 /* hands on the rows, where they come one by one */

#endif
