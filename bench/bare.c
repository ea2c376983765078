/* A bare parameter server: what pushing a gradient and pulling parameters costs with nothing around it. One
 * server, an epoll loop in one thread; W workers, processes that block. An update is a header of 16 bytes and n
 * floats each way, and w -= rate g between. With K > 0 answers wait until K gradients are in. With `train` the
 * workers compute softmax gradients (784 x 10, 128 rows).
 * usage: bare unix|tcp W FLOATS|train UPDATES [K]    (prints CPU us an update, of all, and updates a second) */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "softmax.h"

struct header {
    uint64_t bytes, version;
};
struct peer {
    int fd;
    struct header h;  /* of what comes in */
    float *in, *left; /* its floats; what of an answer the socket did not take */
    size_t got, at, end;
    int waits;
};
struct server {
    int epoll;
    size_t n;
    float *w, rate;
    struct peer *peer;
    unsigned long workers, combine, pending, updates, most;
};

static void must(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    _exit(4);
}

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

/* A worker's exchange: all of it, or the server has ended. */
static int give(int fd, struct iovec *v, int n)
{
    while (n > 0) {
        ssize_t k = writev(fd, v, n);
        if (k <= 0)
            return -1;
        for (; n > 0 && (size_t)k >= v->iov_len; v++, n--)
            k -= (ssize_t)v->iov_len;
        if (n > 0) {
            v->iov_base = (char *)v->iov_base + k;
            v->iov_len -= (size_t)k;
        }
    }
    return 0;
}

static int take(int fd, void *to, size_t n)
{
    for (char *p = to; n > 0;) {
        ssize_t k = read(fd, p, n);
        if (k <= 0)
            return -1;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

/* Between 784 x 10, as it travels, and 784 x 16, as it is computed with. */
static void compute(struct softmax *q, const float *w, float *g)
{
    for (size_t f = 0; f < FEATURES; f++)
        memcpy(q->w + f * WIDE, w + f * CLASSES, sizeof(float[CLASSES]));
    softmax_gradient(q);
    for (size_t f = 0; f < FEATURES; f++)
        memcpy(g + f * CLASSES, q->g + f * WIDE, sizeof(float[CLASSES]));
}

static void work(int fd, size_t n, struct softmax *q)
{
    struct header *in = malloc(sizeof *in + n * sizeof(float)), h = { n * sizeof(float), 0 };
    float *g = calloc(n, sizeof *g);
    must(in != NULL && g != NULL, "memory");
    for (;;) {
        struct iovec v[2] = { { &h, sizeof h }, { g, n * sizeof *g } };
        if (give(fd, v, 2) < 0 || take(fd, in, sizeof *in + n * sizeof *g) < 0)
            _exit(0);
        if (q != NULL)
            compute(q, (float *)(in + 1), g);
    }
}

static void watch(struct server *s, struct peer *p, uint32_t events, int how)
{
    struct epoll_event e = { .events = events, .data.ptr = p };
    must(epoll_ctl(s->epoll, how, p->fd, &e) == 0, "epoll_ctl");
}

/* Straight from the parameters as far as the socket takes it; the rest is copied. */
static void answer(struct server *s, struct peer *p)
{
    struct header h = { s->n * sizeof *s->w, s->updates };
    struct iovec v[2] = { { &h, sizeof h }, { s->w, h.bytes } };
    struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
    ssize_t k = sendmsg(p->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    size_t sent = k > 0 ? (size_t)k : 0, all = sizeof h + h.bytes;
    if (sent == all)
        return;
    must(sent >= sizeof h, "a socket that takes no header");
    memcpy(p->left, (char *)s->w + (sent - sizeof h), all - sent);
    p->at = 0;
    p->end = all - sent;
    watch(s, p, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
}

static void answer_all(struct server *s)
{
    for (unsigned long i = 0; i < s->workers; i++) {
        if (s->peer[i].waits)
            answer(s, &s->peer[i]);
        s->peer[i].waits = 0;
    }
    s->pending = 0;
}

static void descend(float *restrict w, const float *restrict g, size_t n, float rate)
{
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * g[i];
}

static void read_peer(struct server *s, struct peer *p)
{
    size_t all = sizeof p->h + s->n * sizeof *p->in, of_header = p->got < sizeof p->h ? sizeof p->h - p->got : 0;
    size_t in_payload = p->got < sizeof p->h ? 0 : p->got - sizeof p->h;
    struct iovec v[2] = { { (char *)&p->h + p->got * (of_header > 0), of_header },
                          { (char *)p->in + in_payload, s->n * sizeof *p->in - in_payload } };
    ssize_t k = of_header > 0 ? readv(p->fd, v, 2) : read(p->fd, v[1].iov_base, v[1].iov_len);
    must(k > 0, "a worker");
    if ((p->got += (size_t)k) < all)
        return;
    p->got = 0;
    descend(s->w, p->in, s->n, s->rate);
    s->updates++;
    p->waits = 1;
    if (++s->pending >= s->combine)
        answer_all(s);
}

static void write_peer(struct server *s, struct peer *p)
{
    ssize_t k = send(p->fd, (char *)p->left + p->at, p->end - p->at, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (k > 0 && (p->at += (size_t)k) == p->end)
        watch(s, p, EPOLLIN, EPOLL_CTL_MOD);
}

static void serve(struct server *s)
{
    struct epoll_event e[64];
    while (s->updates < s->most) {
        int n = epoll_wait(s->epoll, e, 64, -1);
        for (int i = 0; i < n; i++) {
            if (e[i].events & EPOLLOUT)
                write_peer(s, e[i].data.ptr);
            if (e[i].events & EPOLLIN)
                read_peer(s, e[i].data.ptr);
        }
    }
}

/* Connected sockets of that kind: [0] the server's, non-blocking, [1] the worker's. */
static void connect_pair(int tcp, int fd[2])
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    int one = 1, door;
    if (!tcp) {
        must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0, "socketpair");
        return;
    }
    door = socket(AF_INET, SOCK_STREAM, 0);
    fd[1] = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(door, (void *)&a, n) == 0 && listen(door, 1) == 0 && getsockname(door, (void *)&a, &n) == 0 &&
             connect(fd[1], (void *)&a, n) == 0 && (fd[0] = accept(door, NULL, NULL)) >= 0, "loopback");
    for (int i = 0; i < 2; i++)
        setsockopt(fd[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    close(door);
}

/* The worker has no end of the others' connections: it sees the server close its own. */
static void start_worker(struct server *s, struct peer *p, int tcp, struct softmax *q)
{
    int fd[2];
    connect_pair(tcp, fd);
    if (fork() == 0) {
        for (struct peer *o = s->peer; o < p; o++)
            close(o->fd);
        close(fd[0]);
        if (q != NULL)
            q->state += (uint64_t)(p - s->peer);
        work(fd[1], s->n, q);
    }
    close(fd[1]);
    p->fd = fd[0];
    p->in = malloc(s->n * sizeof *p->in);
    p->left = malloc(s->n * sizeof *p->left);
    must(p->in != NULL && p->left != NULL, "memory");
    memset(p->in, 0, s->n * sizeof *p->in);
    memset(p->left, 0, s->n * sizeof *p->left);
    watch(s, p, EPOLLIN, EPOLL_CTL_ADD);
}

int main(int argc, char **argv)
{
    struct server s = { .epoll = epoll_create1(0), .rate = 0.01f };
    struct softmax q = { 0 };
    if (argc < 5)
        return fprintf(stderr, "usage: bare unix|tcp W FLOATS|train UPDATES [K]\n"), 2;
    int train = strcmp(argv[3], "train") == 0;
    must(!train || softmax_open(&q) == 0, "memory");
    s.workers = strtoul(argv[2], NULL, 10);
    s.n = train ? FEATURES * CLASSES : strtoul(argv[3], NULL, 10);
    s.most = strtoul(argv[4], NULL, 10);
    s.combine = argc > 5 ? strtoul(argv[5], NULL, 10) : 1;
    s.w = calloc(s.n, sizeof *s.w);
    s.peer = calloc(s.workers, sizeof *s.peer);
    must(s.w != NULL && s.peer != NULL, "memory");
    double was = cpu(RUSAGE_SELF), began = now();
    for (unsigned long i = 0; i < s.workers; i++)
        start_worker(&s, &s.peer[i], strcmp(argv[1], "tcp") == 0, train ? &q : NULL);
    serve(&s);
    double took = now() - began;
    for (unsigned long i = 0; i < s.workers; i++)
        close(s.peer[i].fd);
    while (wait(NULL) > 0)
        ;
    double used = cpu(RUSAGE_SELF) - was + cpu(RUSAGE_CHILDREN);
    printf("%.3f\t%.1f\n", 1e6 * used / (double)s.updates, (double)s.updates / took);
    return 0;
}
