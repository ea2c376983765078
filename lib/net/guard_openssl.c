/* TLS 1.3 by OpenSSL: what is set once, from the files that prove who this side is. */
#include "net/guard_openssl.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

#include "base/mem.h"
#include "net/secret.h"

/* Both with SHA-256, as the key that is shared. The second is for machines without AES. */
static const char suites[] = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";
static const char groups[] = "X25519:P-256";
static const unsigned char identity[] = "dsgd";
enum { READ_BUFFER = 1 << 16 /* bytes: records that one read brings */ };

static int bad_file(struct err *e, const char *path)
{
    const char *why = ERR_reason_error_string(ERR_peek_error());
    ERR_clear_error();
    return err_set(e, ERR_DATA, "%s: %s", path, why == NULL ? "cannot be used" : why);
}

static const struct guard *guard_of(const SSL *ssl)
{
    return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
}

/* The session that stands for the shared key. */
static SSL_SESSION *session_of_key(SSL *ssl)
{
    static const unsigned char aes_128_gcm[] = { 0x13, 0x01 }; /* RFC 8446, B.4 */
    const struct guard *g = guard_of(ssl);
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, aes_128_gcm);
    SSL_SESSION *s = SSL_SESSION_new();
    if (s != NULL && cipher != NULL && SSL_SESSION_set1_master_key(s, g->key, PSK_BYTES) == 1 &&
        SSL_SESSION_set_cipher(s, cipher) == 1 &&
        SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION) == 1)
        return s;
    SSL_SESSION_free(s);
    return NULL;
}

static int use_key(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *n, SSL_SESSION **s)
{
    *s = NULL;
    *id = identity;
    *n = sizeof identity - 1;
    if (md != NULL && !EVP_MD_is_a(md, "SHA256"))
        return 1;
    *s = session_of_key(ssl);
    return *s != NULL;
}

static int find_key(SSL *ssl, const unsigned char *id, size_t n, SSL_SESSION **s)
{
    *s = NULL;
    if (n == sizeof identity - 1 && memcmp(id, identity, n) == 0)
        *s = session_of_key(ssl);
    return 1;
}

/* Of whatever the file holds, PSK_BYTES: their SHA-256. */
static int read_key(struct guard *g, const char *path, struct err *e)
{
    size_t n;
    char *bytes = secret_read(path, &n, e);
    if (bytes == NULL)
        return -1;
    int rc = 0;
    if (n < SECRET_MIN)
        rc = err_set(e, ERR_DATA, "%s: a key of %zu bytes: at least %d are needed", path, n,
                     SECRET_MIN);
    else if (EVP_Digest(bytes, n, g->key, NULL, EVP_sha256(), NULL) != 1)
        rc = bad_file(e, path);
    secret_free(bytes, n);
    return rc;
}

/* Certificates are no proof where a key is shared: none is sent, and none is believed. */
static int share_key(struct guard *g, const char *path, struct err *e)
{
    g->shared = true;
    if (read_key(g, path, e) < 0)
        return -1;
    SSL_CTX_set_psk_use_session_callback(g->ctx, use_key);
    SSL_CTX_set_psk_find_session_callback(g->ctx, find_key);
    return 0;
}

/* A private key that is locked stays so: nobody is there to be asked. */
static int no_password(char *text, int room, int writing, void *self)
{
    (void)text, (void)room, (void)writing, (void)self;
    return -1;
}

static int use_private_key(struct guard *g, const char *path, struct err *e)
{
    size_t n;
    char *bytes = secret_read(path, &n, e);
    if (bytes == NULL)
        return -1;
    BIO *b = BIO_new_mem_buf(bytes, (int)n);
    EVP_PKEY *key = b == NULL ? NULL : PEM_read_bio_PrivateKey(b, NULL, no_password, NULL);
    int rc = 0;
    if (key == NULL || SSL_CTX_use_PrivateKey(g->ctx, key) != 1 ||
        SSL_CTX_check_private_key(g->ctx) != 1)
        rc = bad_file(e, path);
    EVP_PKEY_free(key);
    BIO_free(b);
    secret_free(bytes, n);
    return rc;
}

static int use_certificates(struct guard *g, const struct secrets *s, struct err *e)
{
    if (SSL_CTX_use_certificate_chain_file(g->ctx, s->cert) != 1)
        return bad_file(e, s->cert);
    if (use_private_key(g, s->cert_key, e) < 0)
        return -1;
    return SSL_CTX_load_verify_file(g->ctx, s->ca) == 1 ? 0 : bad_file(e, s->ca);
}

/* One version, nothing that is sent before the handshake is over or kept after the connection. */
static int set_up(struct guard *g, struct err *e)
{
    g->bio = guard_bio();
    g->ctx = SSL_CTX_new(g->server ? TLS_server_method() : TLS_client_method());
    if (g->bio == NULL || g->ctx == NULL ||
        SSL_CTX_set_min_proto_version(g->ctx, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_max_proto_version(g->ctx, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(g->ctx, suites) != 1 ||
        SSL_CTX_set1_groups_list(g->ctx, groups) != 1 || SSL_CTX_set_num_tickets(g->ctx, 0) != 1)
        return err_set(e, ERR_SYSTEM, "OpenSSL cannot be set up for TLS 1.3");
    SSL_CTX_set_app_data(g->ctx, g);
    if (g->server) /* OpenSSL wants one where it looks at clients */
        SSL_CTX_set_session_id_context(g->ctx, identity, sizeof identity - 1);
    SSL_CTX_set_session_cache_mode(g->ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(g->ctx, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_RENEGOTIATION |
                                    SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_verify(g->ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_read_ahead(g->ctx, 1);
    SSL_CTX_set_default_read_buffer_len(g->ctx, READ_BUFFER);
    return 0;
}

struct guard *guard_open(const struct secrets *s, bool server, struct err *e)
{
    if (secrets_check(s, e) < 0)
        return NULL;
    struct guard *g = mem_new(1, sizeof *g, e);
    if (g == NULL)
        return NULL;
    g->server = server;
    ERR_clear_error();
    if (set_up(g, e) == 0 && (s->key_file != NULL ? share_key(g, s->key_file, e)
                                                  : use_certificates(g, s, e)) == 0)
        return g;
    guard_close(g);
    return NULL;
}

void guard_close(struct guard *g)
{
    if (g == NULL)
        return;
    SSL_CTX_free(g->ctx);
    BIO_meth_free(g->bio);
    secret_free((char *)g, sizeof *g);
}
