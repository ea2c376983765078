/* What the system can do for the socket of a connection. */
#include "net/socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/types.h>

enum {
    SOCKET_BUFFER = 1 << 20,
    DISCARD_MAX = 64 << 20, /* bytes that are read away */
};

void socket_tune(int fd)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    int one = 1, room = SOCKET_BUFFER;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (getsockname(fd, (struct sockaddr *)&a, &n) < 0)
        return;
    if (a.ss_family == AF_UNIX) {
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    } else {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
}

void socket_discard(int fd)
{
    char sink[65536];
    ssize_t n = sizeof sink;
    for (size_t all = 0; all < DISCARD_MAX && n == sizeof sink; all += (size_t)n)
        n = recv(fd, sink, sizeof sink, MSG_DONTWAIT);
}
