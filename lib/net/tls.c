/* tls:HOST:PORT: any network; who is there is proved by a key or by certificates (guard.h). */
#include <string.h>

#include "net/inet.h"

static int parse(struct address *a, const char *rest, struct err *e)
{
    const char *behind = inet_parse(a, rest, e);
    if (behind != NULL && *behind != '\0')
        return err_set(e, ERR_USAGE, "nothing stands behind the port: write tls:HOST:PORT");
    return behind == NULL ? -1 : 0;
}

static void print(const struct address *a, bool full, char *text, size_t room)
{
    (void)full;
    inet_print(a, text, room);
}

/* The name stays as it was written: it is what a certificate is about. */
static int listen_at(struct address *a, bool insecure, struct err *e)
{
    (void)insecure;
    struct address bound = *a;
    int fd = inet_listen(&bound, true, e);
    a->port = bound.port;
    return fd;
}

const struct transport transport_tls = {
    .plug = { .name = "tls", .help = "tls:HOST:PORT, with --key-file or certificates" },
    .parse = parse,
    .print = print,
    .listen = listen_at,
    .dial = inet_dial,
    .guarded = true,
};
