/* A target: what is fed with bytes that anybody may have written. libFuzzer calls it, or replay.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What a reader promises of what it took. */
static inline void promise(int kept)
{
    if (!kept)
        abort();
}

/* A file in memory, made once and filled again for every input. Zeroed before its first use. */
struct memory_file {
    int fd; /* at the start of the file */
    char path[32];
};

/* The file holds these bytes now. */
void memory_file(struct memory_file *f, const uint8_t *data, size_t n);

/* LZMA's dictionaries take a millisecond to make, a hundred times what all else takes: unpacking it is for `auto`. */
bool is_slow(const uint8_t *data, size_t n);

#endif
