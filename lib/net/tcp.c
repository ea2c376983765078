/* tcp:HOST:PORT[/TOKEN]: loopback, or a network that is trusted. */
#include <stdio.h>
#include <string.h>

#include "net/inet.h"

static int parse_token(struct address *a, const char *text, struct err *e)
{
    size_t n = strlen(text);
    if (n != TOKEN_TEXT || strspn(text, "0123456789abcdef") != n)
        return err_set(e, ERR_USAGE, "the token behind the port has %d hex digits", TOKEN_TEXT);
    memcpy(a->token, text, n + 1);
    return 0;
}

static int parse(struct address *a, const char *rest, struct err *e)
{
    const char *behind = inet_parse(a, rest, e);
    if (behind == NULL)
        return -1;
    return *behind == '/' ? parse_token(a, behind + 1, e) : 0;
}

static void print(const struct address *a, bool full, char *text, size_t room)
{
    inet_print(a, text, room);
    size_t n = strlen(text);
    if (full && a->token[0] != '\0')
        snprintf(text + n, room - n, "/%s", a->token);
}

const struct transport transport_tcp = {
    .plug = { .name = "tcp", .help = "tcp:HOST:PORT, loopback alone unless --insecure" },
    .parse = parse,
    .print = print,
    .listen = inet_listen,
    .dial = inet_dial,
};
