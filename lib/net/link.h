/* The two ends of a connection here, and how bytes go through them: as they are, or through TLS
 * (guard.h). No call waits, but a read that was told to be patient. The descriptors' flags, which others may share, stay as they are. */
#ifndef NET_LINK_H
#define NET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/err.h"

struct link {
    const struct link_ops *ops;
    int in, out; /* the same descriptor for sockets; 0 and 1 for stdio; -1: closed */
    bool socket_in, socket_out; /* else pipes, or what is like them */
    bool patient;               /* a read of a socket may wait as long as the socket lets it */
    bool more;                  /* after a read: another may find something, whatever select says */
    struct tls *tls;            /* or NULL */
};

struct link_ops {
    /* As readv and writev: bytes; 0, the other side ended in order; -1 and errno, EAGAIN when
     * nothing can be read or taken now. What was taken is as good as sent and may not be sent
     * again, though some of it may be `unsent` still. */
    ssize_t (*read)(struct link *l, struct iovec *v, int n);
    ssize_t (*write)(struct link *l, struct iovec *v, int n);
    size_t (*unsent)(const struct link *l); /* bytes taken that wait for a write, of nothing too */
    bool (*open)(const struct link *l);     /* the other side is known to be who it should be */
    /* No more is written: the other side reads the end. Again when something was unsent. */
    void (*finish)(struct link *l);
    void (*close)(struct link *l);
    const char *(*why)(const struct link *l); /* read or write failed: in words, or NULL: errno */
};

/* Bytes as they are, through connected descriptors, which are the link's from now on. -1: errno. */
int link_plain(struct link *l, int in, int out);

/* Why reading or writing failed (errno is that of then), as ERR_PEER; returns -1. */
int link_failed(const struct link *l, struct err *e);

/* A descriptor below FD_SETSIZE that is waited for. */
struct watched {
    int fd;
    bool to_write; /* until it takes something; else until there is something to read */
};

/* Waits until one of n is ready or `seconds` are over; whether one is. */
bool link_any_ready(const struct watched *w, size_t n, double seconds);

/* Waits until fd is ready or `seconds` are over; whether it is ready. */
bool link_ready(int fd, bool to_write, double seconds);

#endif
