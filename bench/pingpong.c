/* The least that a message and its answer cost here: 64 bytes over a socket pair, two processes.
 * Prints the median of 2,000 round trips in seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 2000, BYTES = 64 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Answers until the other side closes. */
static int answer(int fd)
{
    char buffer[BYTES];
    while (read(fd, buffer, sizeof buffer) == BYTES)
        if (write(fd, buffer, sizeof buffer) != BYTES)
            return 1;
    return 0;
}

static int ask(int fd, double *seconds)
{
    char buffer[BYTES] = { 0 };
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();
        if (write(fd, buffer, sizeof buffer) != BYTES || read(fd, buffer, sizeof buffer) != BYTES)
            return -1;
        seconds[i] = now() - start;
    }
    return 0;
}

int main(void)
{
    static double seconds[ROUNDS];
    int pair[2], failed;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return perror("pingpong: socketpair"), 4;
    pid_t child = fork();
    if (child < 0)
        return perror("pingpong: fork"), 4;
    if (child == 0) {
        close(pair[0]);
        _exit(answer(pair[1]));
    }
    close(pair[1]);
    failed = ask(pair[0], seconds);
    close(pair[0]);
    waitpid(child, NULL, 0);
    if (failed)
        return perror("pingpong"), 4;
    qsort(seconds, ROUNDS, sizeof *seconds, by_value);
    printf("%.9f\n", seconds[ROUNDS / 2]);
    return 0;
}
