/* Where a server listens and a worker dials. */
#include "net/address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/secret.h"
#include "net/transport.h"


static const struct transport *row_of(const struct address *a)
{
    return (const struct transport *)transport_table.rows[a->kind];
}

/* The row whose name is the first n bytes of text, into a->kind. */
static int find(struct address *a, const char *text, size_t n, struct err *e)
{
    for (int i = 0; transport_table.rows[i] != NULL; i++) {
        const char *name = transport_table.rows[i]->name;
        if (strlen(name) == n && memcmp(name, text, n) == 0) {
            a->kind = (enum address_kind)i;
            return 0;
        }
    }
    return err_set(e, ERR_USAGE, "write unix:PATH, tcp:HOST:PORT, tls:HOST:PORT or stdio");
}

int address_parse(struct address *a, const char *text, struct err *e)
{
    *a = (struct address){ 0 };
    size_t n = strcspn(text, ":");
    if (find(a, text, n, e) == 0 && row_of(a)->parse(a, text + n + (text[n] == ':'), e) == 0)
        return 0;
    return err_ctx(e, "address '%.200s'", text);
}

static int read_first_line(char *line, size_t room, const char *path, struct err *e)
{
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return err_sys(e, "%s", path);
    errno = 0;
    char *got = fgets(line, (int)room, f);
    if (got == NULL && ferror(f))
        err_sys(e, "%s", path);
    else if (got == NULL || *line == '\n')
        err_set(e, ERR_SYSTEM, "%s: holds no address yet", path);
    fclose(f);
    if (e->kind != ERR_OK)
        return -1;
    line[strcspn(line, "\r\n")] = '\0';
    return 0;
}

int address_parse_or_file(struct address *a, const char *text, struct err *e)
{
    char line[ADDRESS_TEXT];
    if (text[0] != '@')
        return address_parse(a, text, e);
    struct err why = { 0 };
    if (read_first_line(line, sizeof line, text + 1, &why) < 0) {
        *e = why;
        return -1;
    }
    if (address_parse(a, line, e) == 0)
        return 0;
    e->kind = ERR_DATA;
    return err_ctx(e, "%s:1", text + 1);
}

const char *address_text(const struct address *a, char *text, size_t room)
{
    row_of(a)->print(a, false, text, room);
    return text;
}

const char *address_full(const struct address *a, char *text, size_t room)
{
    row_of(a)->print(a, true, text, room);
    return text;
}

static int name_it(const struct address *a, struct err *e)
{
    char text[ADDRESS_TEXT];
    return err_ctx(e, "%s", address_text(a, text, sizeof text));
}

int address_listen(struct address *a, int insecure, struct err *e)
{
    int fd = row_of(a)->listen(a, insecure != 0, e);
    return fd < 0 ? name_it(a, e) : fd;
}

void address_close(const struct address *a, int fd)
{
    if (row_of(a)->unlisten != NULL)
        row_of(a)->unlisten(a); /* while fd still answers: nobody else's can stand there yet */
    close(fd);
}

int address_dial(const struct address *a, double seconds, struct err *e)
{
    int fd = row_of(a)->dial(a, seconds, e);
    return fd < 0 ? name_it(a, e) : fd;
}

int address_make_token(struct address *a, struct err *e)
{
    return secret_draw(a->token, TOKEN_BYTES, e);
}

const char *address_doubt(const struct address *a)
{
    return row_of(a)->doubt == NULL ? NULL : row_of(a)->doubt(a);
}

bool address_guarded(const struct address *a)
{
    return row_of(a)->guarded;
}
