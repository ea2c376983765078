/* Notices for people: one line each on stderr, never on stdout. */
#include "base/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A pipe that poll calls writable takes a line whole. */
bool log_ready(const struct log *l)
{
    struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
    if (l->reader == NULL || poll(&p, 1, l->reader->patience) > 0)
        return true;
    l->reader->patience = 0;
    return false;
}

void log_lines(const struct log *l, const char *text)
{
    for (size_t n; *text != '\0'; text += n) {
        n = strcspn(text, "\n");
        n += text[n] == '\n';
        if (log_ready(l))
            fwrite(text, 1, n, stderr);
        else
            l->reader->lost++;
    }
}

/* One write a line, so that the lines of several programs on one terminal do not mix. */
static void line(const struct log *l, const char *fmt, va_list ap)
{
    char text[1200];
    if (!log_ready(l)) {
        l->reader->lost++;
        return;
    }
    int n = snprintf(text, sizeof text, "%s: ", l->name);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
    for (char *s = text; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            *s = '?';
    fprintf(stderr, "%s\n", text);
}

void log_note(const struct log *l, const char *fmt, ...)
{
    if (l->level < 0)
        return;
    va_list ap;
    va_start(ap, fmt);
    line(l, fmt, ap);
    va_end(ap);
}

void log_detail(const struct log *l, const char *fmt, ...)
{
    if (l->level < 1)
        return;
    va_list ap;
    va_start(ap, fmt);
    line(l, fmt, ap);
    va_end(ap);
}
