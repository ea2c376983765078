/* Feeds a target with files: what the corpus holds, in `make check` and without a fuzzer (which has a main of its
 * own). */
#include <stdio.h>

#include "fuzz.h"

int replay_file(const char *path);

int replay_file(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return 1;
    }
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    uint8_t *exact = malloc(n + (n == 0)); /* so that a byte beyond is seen */
    if (exact == NULL)
        return 1;
    for (size_t i = 0; i < n; i++)
        exact[i] = bytes[i];
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return 0;
}

#ifndef DSGD_FUZZER
int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay_file(argv[i]);
    return failed;
}
#endif
