/* Which log it is. */
#include "run/logs.h"

#include <string.h>

/* The first line holds all of these words, in any order. */
static bool has(const char *line, size_t n, const char *word)
{
    size_t w = strlen(word);
    for (size_t i = 0; i + w <= n; i++)
        if (memcmp(line + i, word, w) == 0)
            return true;
    return false;
}

/* Nothing but numbers and blanks, 18 of them. */
static bool is_job(const char *line, size_t n)
{
    size_t words = 0;
    for (size_t i = 0; i < n; i++) {
        if (strchr("0123456789-+. \t\r", line[i]) == NULL || line[i] == '\0')
            return false;
        words += line[i] > ' ' && (i == 0 || line[i - 1] <= ' ');
    }
    return words == 18;
}

log_reader *log_known(const struct source *s)
{
    const char *head = (const char *)s->head, *end;
    size_t at = 0;
    if (s->head_n >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    while (at < s->head_n && strchr(" \t\r\n", head[at]) != NULL && head[at] != '\0')
        at++;
    if (at == s->head_n)
        return NULL;
    end = memchr(head + at, '\n', s->head_n - at);
    size_t n = end != NULL ? (size_t)(end - head) - at : s->head_n - at;
    if (head[at] == '{' || head[at] == '[')
        return events_read;
    if (head[at] == ';' || is_job(head + at, n))
        return swf_read;
    return has(head + at, n, "JobID") && has(head + at, n, "|") ? sacct_read : NULL;
}
