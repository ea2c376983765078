/* Setters: a text from the command line or from a SPEC into one member of a conf.
 * Both option rows (opt.h) and parameters (plug.h) name them. 0, or -1 and e (without the text and
 * the option's name: the caller puts them in front). */
#ifndef BASE_SET_H
#define BASE_SET_H

#include "base/err.h"

typedef int setter(void *target, const char *text, struct err *e);

setter set_text;     /* const char *: the text itself, not copied */
setter set_path;     /* const char *: the same; all that follows in a SPEC belongs to it */
setter set_flag;     /* bool: true; the option has no argument */
setter set_clear;    /* bool: false; the option has no argument */
setter set_count;    /* uint64_t: a whole number from 1 */
setter set_whole;    /* uint64_t: a whole number from 0 */
setter set_positive; /* double: real > 0 */
setter set_nonneg;   /* double: real >= 0 */
setter set_real;     /* double: any finite real */
setter set_part;     /* double: between 0 and 1, neither */
setter set_duration; /* double: seconds >= 0 */
setter set_period;   /* double: seconds > 0 */
setter set_list;     /* struct text_list: one more text */
setter set_texts;    /* the same; what the text must be is for others to say */

/* What set_list fills; texts are not owned, v is free()d by the owner. Zeroed before use. */
struct text_list {
    const char **v;
    unsigned long n, cap;
};

#endif
