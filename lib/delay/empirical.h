/* What the laws out of files are made of. */
#ifndef DELAY_EMPIRICAL_H
#define DELAY_EMPIRICAL_H

#include "delay/delay.h"
#include "delay/steps.h"

/* The steps of a parsed `empirical:FILE` or `recorded:FILE`, as long as the SPEC is there; NULL of any
 * other law. */
const struct steps *empirical_steps(const struct spec *d);

#endif
