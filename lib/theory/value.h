/* A number of the theory, and how far it can be trusted. */
#ifndef THEORY_VALUE_H
#define THEORY_VALUE_H

enum method {
    METHOD_EXACT,     /* a closed form */
    METHOD_NUMERIC,   /* an integral, to some nine digits */
    METHOD_BOUND,     /* the truth is at most this */
    METHOD_SIMULATED, /* no formula is known: NAN here, for a simulation to say */
};
extern const char *const method_names[]; /* "exact", "numeric", "bound", "simulated" */

struct value {
    double mean; /* infinite where it is */
    enum method method;
};

#endif
