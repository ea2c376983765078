/* Who is on the other side of a tls: connection: TLS 1.3 with a key that all share, or with a
 * certificate on each side. Nothing of the other side is believed before. */
#ifndef NET_GUARD_H
#define NET_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/set.h"
#include "net/address.h"
#include "net/link.h"

/* Files that prove who this side is. Texts are not owned. */
struct secrets {
    const char *key_file; /* pre-shared key, or NULL */
    const char *cert, *cert_key, *ca; /* PEM: own chain, its private key, who signs others; or NULL */
};

#define SECRETS_OPTS(conf, member)                                                                 \
    { "key-file", 0, "FILE", NULL, "key that server and workers of tls: addresses share",          \
      set_text, offsetof(struct conf, member.key_file), NULL },                                    \
    { "cert", 0, "FILE", NULL, "certificate of this side on a tls: address, PEM", set_text,        \
      offsetof(struct conf, member.cert), NULL },                                                  \
    { "cert-key", 0, "FILE", NULL, "private key of --cert", set_text,                              \
      offsetof(struct conf, member.cert_key), NULL },                                              \
    { "ca", 0, "FILE", NULL, "certificates that sign those of the other side", set_text,           \
      offsetof(struct conf, member.ca), NULL }

bool secrets_given(const struct secrets *s);
int secrets_check(const struct secrets *s, struct err *e); /* as guard_open */

/* Before an address is dialled: -1 and ERR_USAGE when it needs secrets that are not there, or when
 * there are some that would protect nothing. */
int guard_suits(const struct secrets *s, const struct address *a, struct err *e);

/* Reads the files, once. NULL: ERR_USAGE when they are none, too few or of both kinds, or when this
 * program was built without OpenSSL; ERR_DATA when a key is short or others can read it, or when
 * the files do not fit together. */
struct guard *guard_open(const struct secrets *s, bool server, struct err *e);
void guard_close(struct guard *g); /* also when NULL; connections may outlive it */

/* Puts TLS on the socket of a plain link. host: whom the certificate of the other side must name;
 * NULL on the server's side. The handshake goes along with reading and writing. -1: the link is
 * closed. */
int guard_link(const struct guard *g, struct link *l, const char *host, struct err *e);

#endif
