/* A build without OpenSSL: no tls: addresses. */
#include "net/guard.h"

struct guard *guard_open(const struct secrets *s, bool server, struct err *e)
{
    (void)s, (void)server;
    err_set(e, ERR_USAGE,
            "tls: is not in this build, which was configured --without-openssl: build it with OpenSSL, or start "
            "workers through ssh (-x)");
    return NULL;
}

void guard_close(struct guard *g)
{
    (void)g;
}

int guard_link(const struct guard *g, struct link *l, const char *host, struct err *e)
{
    (void)g, (void)l, (void)host;
    return err_set(e, ERR_USAGE, "tls: is not in this build");
}
