/* Durations of minibatches as they were observed: the reader of traces and of columns. */
#include "delay/durations.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/trace.h"

int durations_add(struct durations *d, const struct duration *one, struct err *e)
{
    if (mem_grow(&d->v, &d->cap, d->n + 1, sizeof *d->v, e) < 0)
        return -1;
    d->v[d->n++] = *one;
    return 0;
}

void durations_free(struct durations *d)
{
    free(d->v);
    *d = (struct durations){ 0 };
}

size_t durations_completed(const struct durations *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += !d->v[i].censored;
    return n;
}

double durations_least(const struct durations *d)
{
    double least = INFINITY;
    for (size_t i = 0; i < d->n; i++)
        if (!d->v[i].censored)
            least = fmin(least, d->v[i].seconds);
    return least;
}

double durations_greatest(const struct durations *d)
{
    double greatest = 0;
    for (size_t i = 0; i < d->n; i++)
        greatest = fmax(greatest, d->v[i].seconds);
    return greatest;
}

static int read_trace(struct durations *d, FILE *file, const char *name, struct err *e)
{
    struct trace_reader t = { 0 };
    struct trace_event ev;
    struct duration one;
    if (trace_start_file(&t, file, name, e) < 0)
        return -1;
    int got;
    while ((got = trace_next(&t, &ev, e)) > 0) {
        one.worker = ev.worker;
        if (trace_duration(&ev, &one.seconds, &one.censored) && durations_add(d, &one, e) < 0)
            got = -1;
        if (got < 0)
            break;
    }
    trace_end(&t);
    return got;
}

/* Cuts the line in place: the duration, and what stands behind it, NULL for nothing. */
static char *cut_line(char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    size_t n = strcspn(line, " \t,");
    char *rest = line[n] ? line + n + 1 : NULL;
    line[n] = '\0';
    return rest;
}

static int read_line(struct duration *one, char *line, struct err *e)
{
    const char *censored = cut_line(line);
    *one = (struct duration){ .worker = UINT64_MAX };
    if (num_duration(line, &one->seconds, e) < 0) {
        e->kind = ERR_DATA;
        return err_ctx(e, "'%s'", line);
    }
    if (censored && strcmp(censored, "0") != 0 && strcmp(censored, "1") != 0)
        return err_set(e, ERR_DATA, "'%s' behind the duration: must be 1 (censored), 0 or nothing",
                       censored);
    one->censored = censored && *censored == '1';
    return 0;
}

/* The first line may be the name of the column: a word, no number that went wrong. */
static bool is_header(size_t line, const char *text)
{
    return line == 1 && strchr("+-.0123456789", text[0]) == NULL &&
           strncasecmp(text, "nan", 3) != 0 && strncasecmp(text, "inf", 3) != 0;
}

static int read_column(struct durations *d, FILE *file, const char *name, struct err *e)
{
    char *text = NULL;
    size_t room = 0, line = 0;
    int status = 0;
    while (status == 0 && (errno = 0, getline(&text, &room, file)) >= 0) {
        struct duration one;
        line++;
        if (text[strspn(text, " \t\r\n")] == '\0' || is_header(line, text))
            continue;
        status = read_line(&one, text, e) < 0 ? err_ctx(e, "%s:%zu", name, line)
                                              : durations_add(d, &one, e);
    }
    free(text);
    return status == 0 && ferror(file) ? err_sys(e, "%s", name) : status;
}

/* Traces alone begin with '#'. */
int durations_read(struct durations *d, const char *path, struct err *e)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "<stdin>" : path;
    FILE *file = standard ? stdin : fopen(path, "re");
    if (file == NULL)
        return err_sys(e, "%s", path);
    int first = ungetc(getc(file), file);
    int status = ferror(file)   ? err_sys(e, "%s", path)
                 : first == '#' ? read_trace(d, file, name, e)
                                : read_column(d, file, name, e);
    if (!standard)
        fclose(file);
    if (status == 0 && durations_completed(d) == 0)
        return err_set(e, ERR_DATA, "%s: no completed duration in it", name);
    return status;
}
