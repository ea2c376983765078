/* Text that is meant for people: what stands beside data in archives. */
#ifndef DATA_PROSE_H
#define DATA_PROSE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the first bytes are of a text none of whose lines could be a row: none has numbers for most of its words, or
 * one beside a separator, and their fields are not as many in all lines. In doubt it is no prose. */
bool prose(const unsigned char *head, size_t n);

#endif
