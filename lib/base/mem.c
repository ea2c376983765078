/* Memory that is checked: sizes that overflow and allocations that fail become errors. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGN = 64 };

void *mem_new(size_t n, size_t size, struct err *e)
{
    if (n == 0)
        n = 1;
    if (n > (SIZE_MAX - ALIGN) / size) {
        err_memory(e);
        return NULL;
    }
    size_t bytes = (n * size + ALIGN - 1) / ALIGN * ALIGN;
    void *p = aligned_alloc(ALIGN, bytes);
    if (p == NULL) {
        err_memory(e);
        return NULL;
    }
    return memset(p, 0, bytes);
}

int mem_grow(void *block, size_t *cap, size_t need, size_t size, struct err *e)
{
    if (need <= *cap)
        return 0;
    size_t want = *cap + *cap / 2 + 8;
    if (want < need)
        want = need;
    if (want > SIZE_MAX / 2 / size)
        return err_memory(e);
    void *old;
    memcpy(&old, block, sizeof old);
    void *p = realloc(old, want * size);
    if (p == NULL)
        return err_memory(e);
    memcpy(block, &p, sizeof p);
    *cap = want;
    return 0;
}

int mem_fits(double bytes, struct err *e, const char *fmt, ...)
{
    char what[sizeof e->text];
    va_list ap;
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (have <= 0 || bytes <= have)
        return 0;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return err_set(e, ERR_SYSTEM, "%s needs %.1f GB; this machine has %.1f GB", what, bytes / 1e9,
                   have / 1e9);
}

char *mem_text(const char *s, struct err *e)
{
    return mem_print(e, "%s", s);
}

char *mem_print(struct err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = n < 0 ? NULL : malloc((size_t)n + 1);
    if (s == NULL) {
        err_memory(e);
        return NULL;
    }
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}
