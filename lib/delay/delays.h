/* Who has which law of delays: `-d SPEC`, and `-d RANGE=SPEC` where workers differ. */
#ifndef DELAY_DELAYS_H
#define DELAY_DELAYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/ranges.h"
#include "base/set.h"
#include "delay/delay.h"

struct delays_law {
    struct spec law;  /* no plug: no delay */
    uint64_t workers; /* how many have it */
};

/* Zeroed before use. Ranges are in order and cover all workers; laws that nobody has are not kept. */
struct delays {
    uint64_t workers;
    struct delays_law *law;
    struct range *range; /* `of` is the number of its law */
    size_t laws, ranges;
};

/* From the texts as given: SPEC for all workers that no range names, or RANGE=SPEC, RANGE being
 * numbers N and ranges N-M from 0, with commas between. No text: no delay. 0, or -1 and e:
 * ERR_USAGE names the text; a worker beyond P, named twice or without a law is refused. */
int delays_open(struct delays *d, const struct text_list *texts, uint64_t workers, struct err *e);
void delays_close(struct delays *d);

/* The law of a worker, below workers. As long as d is open. */
const struct spec *delays_of(const struct delays *d, uint64_t worker);

#endif
