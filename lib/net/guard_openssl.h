/* What the two files on OpenSSL share. */
#ifndef NET_GUARD_OPENSSL_H
#define NET_GUARD_OPENSSL_H

#include <openssl/ssl.h>

#include "net/guard.h"

enum { PSK_BYTES = 32 };

struct guard {
    SSL_CTX *ctx;
    BIO_METHOD *bio; /* how OpenSSL reaches a link's socket */
    bool server;
    bool shared; /* a key that all share; else certificates */
    unsigned char key[PSK_BYTES];
};

/* guard_link.c: sockets that are asked without waiting. NULL: no memory. */
BIO_METHOD *guard_bio(void);

#endif
