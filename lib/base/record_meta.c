/* The metadata of a record: text to text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/record.h"

/* JSON holds UTF-8 alone; bytes of a file name in another encoding become '?'. */
static json_t *text_value(char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    for (char *s = text; *s; s++)
        if ((unsigned char)*s >= 0x80)
            *s = '?';
    return json_string(text);
}

int meta_set(json_t *meta, const char *key, struct err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (text == NULL)
        return err_memory(e);
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    int status = json_object_set_new(meta, key, text_value(text));
    free(text);
    return status < 0 ? err_memory(e) : 0;
}

const char *meta_text(const json_t *meta, const char *key)
{
    return json_string_value(json_object_get(meta, key));
}

static const char *needed(const json_t *meta, const char *key, struct err *e)
{
    const char *text = meta_text(meta, key);
    if (text == NULL)
        err_set(e, ERR_DATA, "metadata lack '%s'", key);
    return text;
}

static int blame(const char *key, const char *text, struct err *e)
{
    e->kind = ERR_DATA;
    return err_ctx(e, "metadata '%s': '%s'", key, text);
}

int meta_whole(const json_t *meta, const char *key, uint64_t *v, struct err *e)
{
    const char *text = needed(meta, key, e);
    if (text == NULL)
        return -1;
    return num_whole(text, v, e) < 0 ? blame(key, text, e) : 0;
}

int meta_real(const json_t *meta, const char *key, double *v, struct err *e)
{
    const char *text = needed(meta, key, e);
    if (text == NULL)
        return -1;
    return num_real(text, v, e) < 0 ? blame(key, text, e) : 0;
}
