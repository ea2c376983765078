/* What went wrong, in words, and the exit status that it means. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One line is one line, whatever a file name or a label holds. */
static void one_line(char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            *s = '?';
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    one_line(e->text);
    e->kind = kind;
    return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
    const char *why = strerror(errno);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof e->text - n, ": %s", why);
    one_line(e->text);
    e->kind = ERR_SYSTEM;
    return -1;
}

int err_ctx(struct err *e, const char *fmt, ...)
{
    char was[sizeof e->text];
    memcpy(was, e->text, sizeof was);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof e->text - n, ": %s", was);
    one_line(e->text);
    return -1;
}

int err_memory(struct err *e)
{
    return err_set(e, ERR_SYSTEM, "out of memory");
}

int err_exit(struct err *e, const char *program)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        if (e->kind == ERR_OK)
            err_sys(e, "<stdout>");
    if (e->kind != ERR_OK)
        fprintf(stderr, "%s: %s\n", program, e->text);
    return (int)e->kind;
}
