/* A link through TLS: handshake, whole records, and an end that cannot be forged. */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/guard_openssl.h"

enum { RECORD = SSL3_RT_MAX_PLAIN_LENGTH, HANDSHAKE = 0x16, ALERT = 0x15 /* first bytes */ };

struct tls {
    SSL *ssl;
    const struct guard *guard;
    int fd;
    bool begun;    /* the other side has said something */
    bool open;     /* it has proved who it is */
    bool told;     /* close_notify is written */
    bool stranger; /* it does not speak TLS: what it is told goes as it is */
    bool ended;    /* the stream did, in whatever way */
    bool dry;      /* the socket had less than it was asked for */
    int system;    /* errno of the socket, or 0 */
    int failed;    /* errno of what ended reading and writing, or 0 */
    char why[300];
    unsigned char *out; /* a record that the socket did not take yet: out_n bytes from out_at */
    size_t out_at, out_n, out_cap;
};

/* What the socket takes now. -1: t->system, or nothing. */
static ssize_t put(struct tls *t, const void *bytes, size_t n)
{
    ssize_t sent;
    do
        sent = send(t->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
        t->system = errno;
    return sent;
}

/* 0: nothing is unsent. */
static int flush(struct tls *t)
{
    ssize_t sent = t->out_n == 0 ? 0 : put(t, t->out + t->out_at, t->out_n);
    t->out_at += sent > 0 ? (size_t)sent : 0;
    t->out_n -= sent > 0 ? (size_t)sent : 0;
    return t->out_n == 0 ? 0 : -1;
}

static int keep(struct tls *t, const char *bytes, size_t n)
{
    struct err e = { 0 };
    if (t->out_n == 0)
        t->out_at = 0;
    if (mem_grow(&t->out, &t->out_cap, t->out_at + t->out_n + n, 1, &e) < 0) {
        t->system = ENOMEM;
        return -1;
    }
    memcpy(t->out + t->out_at + t->out_n, bytes, n);
    t->out_n += n;
    return 0;
}

/* Takes all: what is encrypted once has to go out as it is. */
static int bio_write(BIO *b, const char *bytes, int n)
{
    struct tls *t = BIO_get_data(b);
    ssize_t sent = flush(t) == 0 ? put(t, bytes, (size_t)n) : 0;
    BIO_clear_retry_flags(b);
    if (t->system != 0)
        return -1;
    size_t done = sent > 0 ? (size_t)sent : 0;
    return done == (size_t)n || keep(t, bytes + done, (size_t)n - done) == 0 ? n : -1;
}

/* Who does not speak TLS is known by the first byte, and can be told. */
static bool speaks_tls(struct tls *t, char first)
{
    t->stranger = !t->begun && first != HANDSHAKE && first != ALERT;
    t->begun = true;
    if (t->stranger)
        snprintf(t->why, sizeof t->why,
                 t->guard->server ? "this address speaks TLS: a worker's has to begin with tls:"
                                  : "the server does not speak TLS there");
    return !t->stranger;
}

static int bio_read(BIO *b, char *bytes, int n)
{
    struct tls *t = BIO_get_data(b);
    ssize_t got;
    do
        got = recv(t->fd, bytes, (size_t)n, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    BIO_clear_retry_flags(b);
    t->dry = got < n;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        BIO_set_retry_read(b);
    else if (got < 0)
        t->system = errno;
    else if (got == 0)
        t->ended = true;
    return got > 0 && !speaks_tls(t, bytes[0]) ? -1 : (int)got;
}

static long bio_ctrl(BIO *b, int what, long number, void *pointer)
{
    (void)number, (void)pointer;
    const struct tls *t = BIO_get_data(b);
    return what == BIO_CTRL_FLUSH || (what == BIO_CTRL_EOF && t->ended);
}

BIO_METHOD *guard_bio(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "dsgd link");
    if (m == NULL || !BIO_meth_set_write(m, bio_write) || !BIO_meth_set_read(m, bio_read) ||
        !BIO_meth_set_ctrl(m, bio_ctrl)) {
        BIO_meth_free(m);
        return NULL;
    }
    return m;
}

/* Why the handshake, or a record, was not as it should be. */
static void explain(struct tls *t)
{
    const char *who = t->guard->server ? "the worker" : "the server";
    unsigned long first = ERR_peek_error();
    const char *reason = ERR_reason_error_string(first);
    long certificate = SSL_get_verify_result(t->ssl);
    bool alert = ERR_GET_REASON(first) > SSL_AD_REASON_OFFSET;
    if (t->guard->shared && !t->open)
        snprintf(t->why, sizeof t->why, "%s has another key (--key-file), or none: %s", who,
                 reason == NULL ? "TLS" : reason);
    else if (!t->guard->shared && certificate != X509_V_OK)
        snprintf(t->why, sizeof t->why, "the certificate of %s is refused: %s", who,
                 X509_verify_cert_error_string(certificate));
    else
        snprintf(t->why, sizeof t->why, "%s%s: %s", who,
                 alert ? " refused this side, its certificate perhaps" : " broke TLS",
                 reason == NULL ? "no reason" : reason);
}

/* Nothing more goes through; errno is why. */
static int fail(struct tls *t, int why)
{
    t->failed = errno = why;
    return -1;
}

/* What a call of OpenSSL came to that returned rc: 0, the other side ended; -1 and errno. */
static int outcome(struct tls *t, int rc)
{
    switch (SSL_get_error(t->ssl, rc)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        errno = EAGAIN;
        return -1;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        break;
    }
    if (t->stranger)
        return fail(t, EPROTO);
    if (t->system != 0)
        return fail(t, t->system);
    if (t->ended && !t->begun)
        return fail(t, EPIPE);
    if (t->ended) {
        snprintf(t->why, sizeof t->why, "connection lost: it was cut off");
        return fail(t, ECONNABORTED);
    }
    explain(t);
    ERR_clear_error();
    return fail(t, EPROTO);
}

/* 0: open. A key that is shared is in use, or it is not open. */
static int shake_hands(struct tls *t)
{
    if (t->failed != 0) {
        errno = t->failed;
        return -1;
    }
    if (t->open)
        return 0;
    ERR_clear_error();
    int rc = SSL_do_handshake(t->ssl);
    if (rc != 1 && outcome(t, rc) == 0)
        return fail(t, EPIPE);
    if (rc != 1)
        return -1;
    if (t->guard->shared && !SSL_session_reused(t->ssl)) {
        explain(t);
        return fail(t, EPROTO);
    }
    t->open = true;
    return 0;
}

static ssize_t read_tls(struct link *l, struct iovec *v, int n)
{
    struct tls *t = l->tls;
    ssize_t all = 0;
    l->more = false;
    if (shake_hands(t) < 0)
        return -1;
    for (int i = 0; i < n; i++)
        for (size_t at = 0; at < v[i].iov_len;) {
            size_t got = 0;
            ERR_clear_error();
            int rc = SSL_read_ex(t->ssl, (char *)v[i].iov_base + at, v[i].iov_len - at, &got);
            if (rc != 1) {
                int end = outcome(t, rc);
                l->more = all > 0 && (end == 0 || errno != EAGAIN);
                return all > 0 ? all : end;
            }
            at += got;
            all += (ssize_t)got;
            if (t->dry && !SSL_has_pending(t->ssl))
                return all;
        }
    l->more = true;
    return all;
}

/* The next record's bytes: where they stand, or together where small pieces meet. */
static const void *gather(const struct iovec *v, int n, size_t at, unsigned char *room, size_t *len)
{
    const char *first = (const char *)v->iov_base + at;
    size_t of_first = v->iov_len - at;
    if (of_first >= RECORD || n == 1) {
        *len = of_first < RECORD ? of_first : RECORD;
        return first;
    }
    memcpy(room, first, of_first);
    for (*len = of_first; --n > 0 && *len < RECORD;) {
        size_t left = RECORD - *len, k = (++v)->iov_len < left ? v->iov_len : left;
        if (k > 0)
            memcpy(room + *len, v->iov_base, k);
        *len += k;
    }
    return room;
}

static ssize_t write_records(struct tls *t, const struct iovec *v, int n)
{
    unsigned char room[RECORD];
    ssize_t all = 0;
    size_t at = 0; /* in *v */
    for (;;) {
        while (n > 0 && at >= v->iov_len) {
            at -= v->iov_len;
            v++;
            n--;
        }
        if (n == 0 || t->out_n > 0)
            return all;
        size_t len, done = 0;
        const void *bytes = gather(v, n, at, room, &len);
        ERR_clear_error();
        int rc = SSL_write_ex(t->ssl, bytes, len, &done);
        if (rc != 1)
            return outcome(t, rc) == 0 ? fail(t, EPIPE) : -1;
        all += (ssize_t)done;
        at += done;
    }
}

static ssize_t write_tls(struct link *l, struct iovec *v, int n)
{
    struct tls *t = l->tls;
    struct msghdr plain = { .msg_iov = v, .msg_iovlen = (size_t)n };
    if (t->stranger && t->guard->server)
        return sendmsg(t->fd, &plain, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (shake_hands(t) < 0)
        return -1;
    if (flush(t) == 0)
        return write_records(t, v, n);
    if (t->system != 0)
        return fail(t, t->system);
    errno = EAGAIN;
    return -1;
}

static size_t unsent_tls(const struct link *l)
{
    return l->tls->failed ? 0 : l->tls->out_n;
}

static bool open_tls(const struct link *l)
{
    return l->tls->open;
}

static void finish_tls(struct link *l)
{
    struct tls *t = l->tls;
    if (t->open && !t->failed && !t->told) {
        t->told = true;
        ERR_clear_error();
        SSL_shutdown(t->ssl);
    }
    if (unsent_tls(l) == 0 || flush(t) == 0)
        shutdown(t->fd, SHUT_WR);
}

static void close_tls(struct link *l)
{
    struct tls *t = l->tls;
    if (l->in >= 0)
        close(l->in);
    l->in = l->out = -1;
    if (t == NULL)
        return;
    SSL_free(t->ssl);
    free(t->out);
    free(t);
    l->tls = NULL;
}

static const char *why_tls(const struct link *l)
{
    return l->tls->why[0] != '\0' ? l->tls->why : NULL;
}

static const struct link_ops ops = { read_tls,   write_tls, unsent_tls, open_tls,
                                     finish_tls, close_tls, why_tls };

/* The name that its certificate must have. */
static bool expect(SSL *ssl, const char *host)
{
    X509_VERIFY_PARAM *p = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(p, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(p, host) == 1)
        return true;
    ERR_clear_error();
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

int guard_link(const struct guard *g, struct link *l, const char *host, struct err *e)
{
    struct tls *t = mem_new(1, sizeof *t, e);
    BIO *b = NULL;
    if (t == NULL)
        goto out;
    *t = (struct tls){ .guard = g, .fd = l->in, .ssl = SSL_new(g->ctx) };
    b = BIO_new(g->bio);
    if (t->ssl == NULL || b == NULL || (host != NULL && !expect(t->ssl, host))) {
        err_memory(e);
        goto out;
    }
    BIO_set_data(b, t);
    BIO_set_init(b, 1);
    SSL_set_bio(t->ssl, b, b);
    if (g->server)
        SSL_set_accept_state(t->ssl);
    else
        SSL_set_connect_state(t->ssl);
    l->tls = t;
    l->ops = &ops;
    return 0;
out:
    BIO_free(b);
    if (t != NULL)
        SSL_free(t->ssl);
    free(t);
    l->ops->close(l);
    return -1;
}
