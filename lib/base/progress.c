/* How far long work is: one line on a terminal, again and again; nothing anywhere else. */
#include "base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define WIPE_REST "\033[K"

bool progress_wanted(const struct log *l)
{
    return l->level >= 0 && isatty(STDERR_FILENO);
}

void progress_show(const struct log *l, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    if (!log_ready(l))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "%s: %s" WIPE_REST "\r", l->name, text);
}

void progress_wipe(void)
{
    fputs(WIPE_REST, stderr);
}
