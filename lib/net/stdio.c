/* stdio: the program that started this one holds the other end of stdin and stdout. */
#include <stdio.h>
#include <unistd.h>

#include "net/transport.h"

static int parse(struct address *a, const char *rest, struct err *e)
{
    (void)a;
    return *rest == '\0' ? 0 : err_set(e, ERR_USAGE, "stdio takes nothing behind it");
}

static void print(const struct address *a, bool full, char *text, size_t room)
{
    (void)a, (void)full;
    snprintf(text, room, "stdio");
}

static int refuse_listening(struct address *a, bool insecure, struct err *e)
{
    (void)a, (void)insecure;
    return err_set(e, ERR_USAGE, "nobody can be waited for there: start workers by -x");
}

static int dial(const struct address *a, double seconds, struct err *e)
{
    (void)a, (void)seconds;
    if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO))
        return err_set(e, ERR_USAGE, "a terminal is no server: give -c ADDRESS");
    return STDIN_FILENO;
}

const struct transport transport_stdio = {
    .plug = { .name = "stdio", .help = "stdio: stdin and stdout, for a worker started by -x" },
    .parse = parse,
    .print = print,
    .listen = refuse_listening,
    .dial = dial,
};
