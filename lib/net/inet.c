/* HOST:PORT, as the rows of the internet have it: spelling, names, sockets. */
#include "net/inet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "net/transport.h"

enum { PORT_MAX = 65535, HOST_TEXT = 128 /* an address as numbers, with its scope */ };

static const char *name_of(const struct address *a)
{
    return transport_table.rows[a->kind]->name;
}

static int parse_port(struct address *a, const char *text, size_t n, struct err *e)
{
    char digits[32];
    const char *bare = *text == '-' ? text + 1 : text;
    size_t n_bare = n - (size_t)(bare - text);
    if (n == 0)
        return err_set(e, ERR_USAGE, "no port: write %s:HOST:PORT", name_of(a));
    if (n_bare == 0 || strspn(bare, "0123456789") < n_bare)
        return err_set(e, ERR_USAGE, "not a port number: %.*s", (int)n, text);
    struct err ignored = { 0 };
    uint64_t v = PORT_MAX + 1;
    if (bare == text && n < sizeof digits) {
        memcpy(digits, text, n);
        digits[n] = '\0';
        num_whole(digits, &v, &ignored);
    }
    if (v > PORT_MAX)
        return err_set(e, ERR_USAGE, "port out of range: %.*s, ports go from 0 to %d", (int)n, text,
                       PORT_MAX);
    a->port = (unsigned)v;
    return 0;
}

static int set_host(struct address *a, const char *text, size_t n, struct err *e)
{
    if (n == 0)
        return err_set(e, ERR_USAGE, "no host: write %s:HOST:PORT", name_of(a));
    if (n >= sizeof a->host)
        return err_set(e, ERR_USAGE, "a host name of %zu bytes: %zu are allowed", n,
                       sizeof a->host - 1);
    memcpy(a->host, text, n);
    a->host[n] = '\0';
    return 0;
}

/* Splits host from port: *n bytes of host at *host; returns what stands behind the colon. */
static const char *split(const struct address *a, const char *text, const char **host, size_t *n,
                         struct err *e)
{
    const char *name = name_of(a);
    const char *end = text[0] == '[' ? strchr(text, ']') : strrchr(text, ':');
    *host = text[0] == '[' ? text + 1 : text;
    if (end == NULL && text[0] == '[')
        err_set(e, ERR_USAGE, "no closing bracket: write %s:[ADDRESS]:PORT", name);
    else if (end == NULL || (*end == ']' && end[1] != ':'))
        err_set(e, ERR_USAGE, "no port: write %s:HOST:PORT", name);
    else if (*end == ':' && memchr(text, ':', (size_t)(end - text)) != NULL)
        err_set(e, ERR_USAGE, "an IPv6 address needs brackets: write %s:[%.*s]:%s", name,
                (int)(end - text), text, end + 1);
    else {
        *n = (size_t)(end - *host);
        return end + (*end == ']') + 1;
    }
    return NULL;
}

const char *inet_parse(struct address *a, const char *rest, struct err *e)
{
    size_t n = 0;
    const char *host, *port = split(a, rest, &host, &n, e);
    if (port == NULL || set_host(a, host, n, e) < 0)
        return NULL;
    size_t n_port = strcspn(port, "/");
    return parse_port(a, port, n_port, e) < 0 ? NULL : port + n_port;
}

void inet_print(const struct address *a, char *text, size_t room)
{
    const char *format = strchr(a->host, ':') ? "%s:[%s]:%u" : "%s:%s:%u";
    snprintf(text, room, format, name_of(a), a->host, a->port);
}

/* freeaddrinfo() it. */
static struct addrinfo *resolve(const struct address *a, struct err *e)
{
    char port[8];
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
    snprintf(port, sizeof port, "%u", a->port);
    int why = getaddrinfo(a->host, port, &hints, &found);
    if (why == 0)
        return found;
    if (why == EAI_SYSTEM)
        err_sys(e, "%s", a->host);
    else if (why == EAI_NONAME)
        err_set(e, ERR_SYSTEM, "name not known: %s", a->host);
    else
        err_set(e, ERR_SYSTEM, "%s: %s", a->host, gai_strerror(why));
    return NULL;
}

static const char *family_name(int family)
{
    return family == AF_INET6 ? "IPv6" : "IPv4";
}

static bool same_ends(int fd)
{
    struct sockaddr_storage here = { 0 }, there = { 0 };
    socklen_t n = sizeof here, m = sizeof there;
    return getsockname(fd, (struct sockaddr *)&here, &n) == 0 &&
           getpeername(fd, (struct sockaddr *)&there, &m) == 0 && n == m &&
           memcmp(&here, &there, n) == 0;
}

static int dial_one(const struct addrinfo *to, double seconds, struct err *e)
{
    int one = 1, fd = transport_socket(to->ai_family, e);
    if (fd < 0)
        return err_ctx(e, "%s", family_name(to->ai_family));
    if (transport_connect(fd, to->ai_addr, to->ai_addrlen, seconds, e) < 0)
        goto out;
    /* Dialling a free port of this machine can, by chance, meet the dialler itself. */
    if (same_ends(fd)) {
        errno = ECONNREFUSED;
        err_sys(e, "cannot connect");
        goto out;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
out:
    close(fd);
    return -1;
}

int inet_dial(const struct address *a, double seconds, struct err *e)
{
    if (a->port == 0)
        return err_set(e, ERR_USAGE, "port 0 is for listening alone");
    double end = clock_now() + seconds;
    struct addrinfo *all = resolve(a, e);
    if (all == NULL)
        return -1;
    int left = 0, fd = -1;
    for (struct addrinfo *i = all; i != NULL; i = i->ai_next)
        left++;
    /* Each address has its share of the time: one that swallows everything stops no other. */
    for (struct addrinfo *i = all; i != NULL && fd < 0; i = i->ai_next, left--) {
        double rest = end - clock_now();
        fd = dial_one(i, rest > 0 ? rest / left : 0, e);
    }
    freeaddrinfo(all);
    return fd;
}

static bool loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
    const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
}

static int check_loopback(const struct addrinfo *all, struct err *e)
{
    char text[HOST_TEXT] = "?";
    for (const struct addrinfo *i = all; i != NULL; i = i->ai_next) {
        if (loopback(i->ai_addr))
            continue;
        getnameinfo(i->ai_addr, i->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
        return err_set(e, ERR_USAGE, "%s is no loopback address; --insecure allows others", text);
    }
    return 0;
}

static int listen_one(const struct addrinfo *at, struct err *e)
{
    int one = 1, fd = transport_socket(at->ai_family, e);
    if (fd < 0)
        return err_ctx(e, "%s", family_name(at->ai_family));
    /* A server that ended a second ago does not keep the port. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* of those that are accepted */
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    err_sys(e, "%s", family_name(at->ai_family));
    close(fd);
    return -1;
}

/* What is bound, as numbers: the name may mean another address elsewhere. */
static int take_name(struct address *a, int fd, struct err *e)
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char port[16];
    if (getsockname(fd, (struct sockaddr *)&at, &n) < 0)
        return err_sys(e, "cannot listen");
    if (getnameinfo((struct sockaddr *)&at, n, a->host, sizeof a->host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return err_set(e, ERR_SYSTEM, "cannot tell the address that was bound");
    return parse_port(a, port, strlen(port), e);
}

int inet_listen(struct address *a, bool anywhere, struct err *e)
{
    int fd = -1;
    struct addrinfo *all = resolve(a, e);
    if (all == NULL)
        return -1;
    if (anywhere || check_loopback(all, e) == 0)
        for (struct addrinfo *i = all; i != NULL && fd < 0; i = i->ai_next)
            fd = listen_one(i, e);
    freeaddrinfo(all);
    if (fd >= 0 && take_name(a, fd, e) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}
