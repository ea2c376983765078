/* A parameter server over libzmq, ROUTER and DEALERs, as ps-lite has it below: zmq tcp|ipc W FLOATS UPDATES.
 * Prints CPU us an update, of all processes, and updates a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

static double cpu(int who)
{
    struct rusage r;
    getrusage(who, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "zmq: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(4);
}

static void release(void *data, void *hint)
{
    (void)hint;
    free(data);
}

/* A part of a message without a copy; `freed`: it was allocated for that. */
static void give(void *s, void *data, size_t n, int freed)
{
    zmq_msg_t m;
    zmq_msg_init_data(&m, data, n, freed ? release : NULL, NULL);
    zmq_msg_send(&m, s, 0);
}

/* Until the server says 'e'. */
static void work(const char *address, size_t n)
{
    void *context = zmq_ctx_new(), *s = zmq_socket(context, ZMQ_DEALER);
    int now_or_never = 0;
    float *g = calloc(n, sizeof *g);
    zmq_setsockopt(s, ZMQ_LINGER, &now_or_never, sizeof now_or_never);
    must(g != NULL && zmq_connect(s, address) == 0, "connect");
    for (char said = 0; said != 'e';) {
        zmq_msg_t m;
        zmq_send(s, "g", 1, ZMQ_SNDMORE);
        give(s, g, n * sizeof *g, 0);
        zmq_msg_init(&m);
        must(zmq_msg_recv(&m, s, 0) >= 0, "recv");
        said = *(char *)zmq_msg_data(&m);
        zmq_msg_close(&m);
        zmq_msg_init(&m);
        must(zmq_msg_recv(&m, s, 0) >= 0, "recv");
        zmq_msg_close(&m);
    }
    _exit(0);
}

/* One exchange. */
static void serve(void *s, float *w, size_t n, int over)
{
    zmq_msg_t id, head, g;
    zmq_msg_init(&id);
    zmq_msg_init(&head);
    zmq_msg_init(&g);
    must(zmq_msg_recv(&id, s, 0) >= 0 && zmq_msg_recv(&head, s, 0) >= 0 && zmq_msg_recv(&g, s, 0) >= 0, "recv");
    const float *from = zmq_msg_data(&g);
    for (size_t i = 0; i < n; i++)
        w[i] -= 0.01f * from[i];
    zmq_msg_close(&g);
    zmq_msg_close(&head);
    zmq_msg_send(&id, s, ZMQ_SNDMORE);
    zmq_send(s, over ? "e" : "w", 1, ZMQ_SNDMORE);
    float *copy = malloc(n * sizeof *copy);
    must(copy != NULL, "memory");
    memcpy(copy, w, n * sizeof *w);
    give(s, copy, n * sizeof *copy, 1);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return fprintf(stderr, "usage: zmq tcp|ipc W FLOATS UPDATES\n"), 2;
    const unsigned long workers = strtoul(argv[2], NULL, 10), updates = strtoul(argv[4], NULL, 10);
    const size_t n = strtoul(argv[3], NULL, 10);
    char folder[] = "/tmp/zmq.XXXXXX", address[200], found[200];
    size_t room = sizeof found;
    must(mkdtemp(folder) != NULL, "mkdtemp");
    snprintf(address, sizeof address, "ipc://%s/s", folder);
    int pipes[2];
    must(pipe(pipes) == 0, "pipe");
    for (unsigned long i = 0; i < workers; i++)
        if (fork() == 0) {
            char all[200] = "";
            must(read(pipes[0], all, sizeof all) == sizeof all, "address");
            work(all, n);
        }
    void *context = zmq_ctx_new(), *s = zmq_socket(context, ZMQ_ROUTER);
    must(zmq_bind(s, strcmp(argv[1], "tcp") == 0 ? "tcp://127.0.0.1:*" : address) == 0, "bind");
    memset(found, 0, sizeof found);
    must(zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, found, &room) == 0, "address");
    for (unsigned long i = 0; i < workers; i++)
        must(write(pipes[1], found, sizeof found) == sizeof found, "pipe");
    float *w = calloc(n, sizeof *w);
    must(w != NULL, "memory");
    const double was = cpu(RUSAGE_SELF), began = now();
    for (unsigned long i = 0; i < updates; i++)
        serve(s, w, n, i + workers >= updates);
    const double took = now() - began;
    zmq_close(s);
    zmq_ctx_term(context);
    while (wait(NULL) > 0)
        ;
    printf("%.3f\t%.1f\n", 1e6 * (cpu(RUSAGE_SELF) - was + cpu(RUSAGE_CHILDREN)) / (double)updates,
           (double)updates / took);
    if (chdir(folder) == 0)
        unlink("s");
    rmdir(folder);
    return 0;
}
