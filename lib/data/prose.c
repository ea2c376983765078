/* Text that is meant for people: what stands beside data in archives. */
#include "data/prose.h"

#include <ctype.h>
#include <string.h>

#include "base/num.h"

#define SEPARATORS ",;\t"

/* What a line is made of. */
struct line {
    size_t fields;        /* between separators */
    size_t field_numbers; /* that are numbers */
    size_t words;         /* between separators, blanks and colons */
    size_t word_numbers;
    bool quotes;          /* where a field begins: its separators and line ends may be no such */
};

static bool is_number(const char *p, const char *end)
{
    float v;
    while (p < end && (isspace((unsigned char)*p) || *p == '"'))
        p++;
    while (end > p && (isspace((unsigned char)end[-1]) || end[-1] == '"'))
        end--;
    return p < end && num_float(p, end, &v) == end;
}

/* The pieces between the characters of `between`, those without a byte counted or not. */
static void count(const char *p, const char *end, const char *between, bool empty, size_t *n, size_t *numbers)
{
    while (p <= end) {
        const char *begin = p;
        while (p < end && (*p == '\0' || strchr(between, *p) == NULL))
            p++;
        *n += empty || p > begin;
        *numbers += is_number(begin, p);
        p++;
    }
}

static struct line measure(const char *p, const char *end)
{
    struct line l = { 0 };
    for (const char *q = p; q < end; q++)
        l.quotes |= *q == '"' && (q == p || strchr(SEPARATORS, q[-1]) != NULL);
    count(p, end, SEPARATORS, true, &l.fields, &l.field_numbers);
    count(p, end, SEPARATORS " \r:", false, &l.words, &l.word_numbers);
    return l;
}

static bool could_be_row(const struct line *l)
{
    return l->quotes || (l->fields > 1 && l->field_numbers > 0) || 2 * l->word_numbers > l->words;
}

static bool is_text(const unsigned char *head, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (head[i] < 0x20 && !isspace(head[i]))
            return false;
    return true;
}

bool prose(const unsigned char *head, size_t n)
{
    const char *p = (const char *)head, *end = p + n;
    size_t lines = 0, fields = 0;
    bool even = true;
    if (!is_text(head, n))
        return false;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        struct line l = measure(p, newline ? newline : end);
        bool counts = l.words > 0 && *p != '#';
        p = newline ? newline + 1 : end;
        if (!counts)
            continue;
        if (could_be_row(&l))
            return false;
        if (lines > 0 && newline == NULL)
            break; /* it may be cut */
        even = even && (lines == 0 || l.fields == fields);
        fields = l.fields;
        lines++;
    }
    return lines > 0 && !(even && fields > 1);
}
