/* ideal POLICY WORKERS DELAY SEED UPDATES: seconds an update that a run's own draws allow.
 *
 * Delays are a function of (seed, rank, minibatch), so a run with no other cost can be computed. */
#include "lib/virtual.h"

#include <stdio.h>

#include "base/num.h"

int main(int argc, char **argv)
{
    struct err e = { 0 };
    struct virtual v = { .size = 1 };
    struct layout layout;
    float start[1] = { 0 };
    if (argc != 6 || num_whole(argv[2], &v.workers, &e) < 0 || v.workers > VIRTUAL_WORKERS ||
        num_whole(argv[4], &v.seed, &e) < 0 || num_whole(argv[5], &v.updates, &e) < 0)
        return 2;
    v.policy = argv[1];
    v.delay = argv[3];
    if (virtual_run(&v, &layout, start, &e) == 0)
        printf("%.9g\n", v.now / (double)v.updates);
    virtual_free(&v);
    return err_exit(&e, "ideal");
}
