/* Names of numbered files. */
#include "run/split/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WIDTH_MAX = 20 };

/* Reads what stands behind a '%': '%', or an optional 0WIDTH and 'd'. Returns the text behind it,
 * or NULL; *width is -1 for a '%'. */
static const char *conversion(const char *p, int *width)
{
    *width = 0;
    if (*p == '%') {
        *width = -1;
        return p + 1;
    }
    if (*p == '0')
        for (; *p >= '0' && *p <= '9' && *width <= WIDTH_MAX; p++)
            *width = 10 * *width + *p - '0';
    return *p == 'd' && *width <= WIDTH_MAX ? p + 1 : NULL;
}

int pattern_check(const char *pattern, bool *numbered, struct err *e)
{
    int width, found = 0;
    for (const char *p = pattern; (p = strchr(p, '%')) != NULL;) {
        p = conversion(p + 1, &width);
        if (p == NULL)
            return err_set(e, ERR_USAGE,
                           "'%s': after '%%' only d, 0WIDTHd (at most 0%dd) or %% may stand",
                           pattern, WIDTH_MAX);
        found += width >= 0;
    }
    if (found > 1)
        return err_set(e, ERR_USAGE, "'%s': more than one %%d", pattern);
    *numbered = found == 1;
    return 0;
}

char *pattern_name(const char *pattern, uint64_t i, struct err *e)
{
    size_t room = strlen(pattern) + 2 * WIDTH_MAX, n = 0;
    char *name = mem_new(room, 1, e);
    for (const char *p = pattern; name != NULL && *p;) {
        int width = -1;
        char c = *p;
        p = c == '%' ? conversion(p + 1, &width) : p + 1;
        if (width < 0)
            name[n++] = c;
        else
            n += (size_t)snprintf(name + n, room - n, "%0*llu", width, (unsigned long long)i);
    }
    return name;
}
