/* What each way to reach a server does: the rows behind address.h. */
#ifndef NET_TRANSPORT_H
#define NET_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/plug.h"
#include "net/address.h"

struct transport {
    struct plug plug; /* its name stands before the colon */
    int (*parse)(struct address *a, const char *rest, struct err *e); /* rest: behind the colon */
    void (*print)(const struct address *a, bool full, char *text, size_t room);
    int (*listen)(struct address *a, bool insecure, struct err *e);
    int (*dial)(const struct address *a, double seconds, struct err *e);
    void (*unlisten)(const struct address *a); /* or NULL */
    const char *(*doubt)(const struct address *a); /* or NULL: as address_doubt */
    bool guarded; /* nothing is said before the other side is known: address_guarded */
};
extern const struct table transport_table;

/* What rows share. */

/* A close-on-exec, non-blocking stream socket, or -1 and e. */
int transport_socket(int family, struct err *e);

/* Connects fd (non-blocking) within `seconds` and makes it blocking. 0, or -1 and e. */
struct sockaddr;
int transport_connect(int fd, const struct sockaddr *to, size_t n, double seconds, struct err *e);

#endif
