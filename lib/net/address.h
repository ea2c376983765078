/* Where a server listens and a worker dials: unix:PATH, tcp:HOST:PORT[/TOKEN], tls:HOST:PORT,
 * stdio. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

enum address_kind { ADDRESS_UNIX, ADDRESS_TCP, ADDRESS_TLS, ADDRESS_STDIO };
enum { TOKEN_BYTES = 16, TOKEN_TEXT = 2 * TOKEN_BYTES /* hex digits */ };

enum { ADDRESS_TEXT = 4400 /* bytes of any address as it is written */ };

struct address {
    enum address_kind kind;
    char host[256];  /* tcp, tls: a name, IPv4, or IPv6 without its brackets */
    char path[4096]; /* unix */
    struct {
        dev_t device;
        ino_t number;
    } file; /* unix, listening: what was made at path */
    unsigned port;   /* tcp, tls: 0 .. 65535 */
    char token[TOKEN_TEXT + 1]; /* tcp: hex, or "" */
};

/* ERR_USAGE says what is wrong and how to write it: "write tcp:[::1]:4000", "port out of range". */
int address_parse(struct address *a, const char *text, struct err *e);

/* "@FILE": the first line of FILE is the address. Else as address_parse. A FILE that is not there
 * yet, or empty, is ERR_SYSTEM; one that holds no address ERR_DATA. */
int address_parse_or_file(struct address *a, const char *text, struct err *e);

/* As it is written, without the token, for messages; with it for --ready-fd and --address-file. */
const char *address_text(const struct address *a, char *text, size_t room);
const char *address_full(const struct address *a, char *text, size_t room);

/* Listens; returns a non-blocking close-on-exec descriptor, or -1 and e, which names the address.
 * tcp: every address that HOST resolves to must be loopback unless insecure (ERR_USAGE says so);
 * a->host and a->port become those bound, as numbers.
 * tls: any address; a->port becomes that bound, a->host stays: certificates are about names.
 * unix: mode 0600; a stale socket file is replaced, one that answers is "in use" and left alone, a
 * file that is no socket is left alone. */
int address_listen(struct address *a, int insecure, struct err *e);

/* Why what stands at an address that listens is not safe from others: a sentence, or NULL. */
const char *address_doubt(const struct address *a);

/* Ends what address_listen began: unix: removes the socket file; closes fd. */
void address_close(const struct address *a, int fd);

/* One attempt, at most `seconds` (and what the resolver of names takes). A blocking close-on-exec
 * descriptor, TCP_NODELAY set; or -1 and e, which names the address: ERR_USAGE when another attempt
 * cannot fare better. stdio: 0, what is written goes to 1; refused on a terminal. */
int address_dial(const struct address *a, double seconds, struct err *e);

/* Its connections go through a guard (guard.h), which finds out who is there. */
bool address_guarded(const struct address *a);

/* A random token into a->token. */
int address_make_token(struct address *a, struct err *e);

#endif
