/* Runs a command and prints the processor time that it took with all it started, user and system, in seconds;
 * with -a also how long it ran, and the KB of its largest process.
 * usage: cpu [-a] COMMAND [ARGUMENT]...     (its stdout goes nowhere; its status is the command's) */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(char **argv)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
        execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status, all = argc > 1 && strcmp(argv[1], "-a") == 0;
    double began = now();
    argv += 1 + all;
    if (argc < 2 + all)
        return fprintf(stderr, "usage: cpu [-a] COMMAND [ARGUMENT]...\n"), 2;
    pid_t child = fork();
    if (child == 0)
        become(argv);
    if (child < 0 || waitpid(child, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &used) < 0)
        return perror("cpu"), 4;
    printf("%.6f", seconds(used.ru_utime) + seconds(used.ru_stime));
    if (all)
        printf("\t%.6f\t%ld", now() - began, used.ru_maxrss);
    printf("\n");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
