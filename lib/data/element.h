/* A number as files of arrays hold it: a kind, a size and a byte order. */
#ifndef DATA_ELEMENT_H
#define DATA_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* ELEMENT_BRAIN: the upper half of a float, "bfloat16". */
enum element_kind { ELEMENT_UNSIGNED, ELEMENT_SIGNED, ELEMENT_FLOAT, ELEMENT_BRAIN };

struct element {
    enum element_kind kind;
    unsigned size; /* bytes: 1, 2, 4, 8; floats from 2 (IEEE half) on */
    bool big;      /* the most significant byte first */
};

/* Whether there is such a number. */
bool element_known(const struct element *t);

/* The number at p, rounded to the nearest double where it has more digits. */
double element_get(const struct element *t, const unsigned char *p);

/* Whether element_get gives the number itself. */
bool element_exact(const struct element *t, const unsigned char *p);

#endif
