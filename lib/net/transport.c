/* The table of transports, and the socket calls that its rows share. */
#include "net/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRANSPORT(name, KIND) extern const struct transport transport_##name;
#include "net/transport.def"
#undef TRANSPORT

static const struct plug *const rows[] = {
#define TRANSPORT(name, KIND) [ADDRESS_##KIND] = &transport_##name.plug,
#include "net/transport.def"
#undef TRANSPORT
    NULL,
};

const struct table transport_table = { "address", rows };

int transport_socket(int family, struct err *e)
{
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd < 0)
        return err_sys(e, "socket");
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        return fd;
    err_sys(e, "socket");
    close(fd);
    return -1;
}

/* Whether the connection that was under way is made: 0, or -1 and errno. */
static int outcome(int fd, double seconds)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    int n = poll(&p, 1, (int)(seconds * 1e3) + 1);
    if (n < 0)
        return -1;
    if (n == 0) {
        errno = ETIMEDOUT;
        return -1;
    }
    int why = 0;
    socklen_t room = sizeof why;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &room) < 0)
        return -1;
    errno = why;
    return why == 0 ? 0 : -1;
}

int transport_connect(int fd, const struct sockaddr *to, size_t n, double seconds, struct err *e)
{
    int made = connect(fd, to, (socklen_t)n);
    if (made < 0 && (errno == EINPROGRESS || errno == EINTR))
        made = outcome(fd, seconds);
    if (made < 0 || fcntl(fd, F_SETFL, 0) < 0)
        return err_sys(e, "cannot connect");
    return 0;
}
