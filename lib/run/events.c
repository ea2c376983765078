/* The objects of an array in JSON, one after the other. */
#include "run/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { END = -2, FAILED = -1 };

static int blame(const struct events *v, size_t line, const char *what, struct err *e)
{
    return err_set(e, ERR_DATA, "%s:%zu: %s", v->source->name, line, what);
}

/* The next byte; END; FAILED and e. */
static int byte(struct events *v, struct err *e)
{
    if (v->at == v->n) {
        if (source_read(v->source, v->block, sizeof v->block, &v->n, e) < 0)
            return FAILED;
        v->at = 0;
        if (v->n == 0)
            return END;
    }
    int c = (unsigned char)v->block[v->at++];
    v->now += c == '\n';
    return c;
}

/* The next that is no blank. */
static int solid(struct events *v, struct err *e)
{
    int c;
    do
        c = byte(v, e);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    return c;
}

static int keep(struct events *v, int c, struct err *e)
{
    if (v->size == v->most)
        return err_set(e, ERR_DATA, "%s:%zu: a value of more than %zu bytes", v->source->name, v->line, v->most);
    if (mem_grow(&v->text, &v->cap, v->size + 1, 1, e) < 0)
        return -1;
    v->text[v->size++] = (char)c;
    return 0;
}

/* The rest of a value that begins with c, an object, an array or a string: kept, or skipped. */
static int through(struct events *v, int c, bool kept, struct err *e)
{
    size_t deep = 0;
    bool quoted = false, escaped = false;
    v->size = 0;
    v->line = v->now + 1;
    for (;; c = byte(v, e)) {
        if (c < 0)
            return c == FAILED ? -1 : blame(v, v->line, "what begins here never ends: the file was cut", e);
        if (kept && keep(v, c, e) < 0)
            return -1;
        if (quoted) {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else {
            quoted = c == '"';
            deep += c == '{' || c == '[';
            deep -= (c == '}' || c == ']') && deep > 0;
        }
        if (!quoted && deep == 0)
            return 0;
    }
}

/* Past a value of another key: what follows it. */
static int skip_value(struct events *v, int c, struct err *e)
{
    if (c == '{' || c == '[' || c == '"')
        return through(v, c, false, e) < 0 ? FAILED : solid(v, e);
    while (c >= 0 && c != ',' && c != '}' && c != ']')
        c = byte(v, e);
    return c;
}

static int no_array(const struct events *v, struct err *e)
{
    return err_set(e, ERR_DATA, "%s: no array \"%s\" in it: trace events are that, or an array of their own",
                   v->source->name, v->key);
}

/* To the array of that key. */
static int find_array(struct events *v, struct err *e)
{
    int c = solid(v, e);
    while (c == '"') {
        if (through(v, c, true, e) < 0)
            return -1;
        bool here = v->size == strlen(v->key) + 2 && memcmp(v->text + 1, v->key, v->size - 2) == 0;
        c = solid(v, e);
        if (c != ':')
            return c == FAILED ? -1 : blame(v, v->now + 1, "':' expected behind a key", e);
        c = solid(v, e);
        if (here && c == '[')
            return 0;
        c = skip_value(v, c, e);
        if (c == ',')
            c = solid(v, e);
    }
    return c == FAILED ? -1 : no_array(v, e);
}

static int begin(struct events *v, struct err *e)
{
    int c = solid(v, e);
    if (c == 0xEF) { /* a byte order mark */
        byte(v, e);
        byte(v, e);
        c = solid(v, e);
    }
    v->begun = true;
    v->bare = c == '[';
    if (c == FAILED)
        return -1;
    return v->bare ? 0 : c == '{' ? find_array(v, e) : no_array(v, e);
}

int events_next(struct events *v, json_t **object, struct err *e)
{
    json_error_t why;
    if (!v->begun && begin(v, e) < 0)
        return -1;
    int c = v->done ? ']' : solid(v, e);
    if (c == ',')
        c = solid(v, e);
    v->done = c == ']' || (c == END && v->bare);
    if (v->done)
        return 0;
    if (c != '{')
        return c == FAILED ? -1 : blame(v, v->now + 1, c == END ? "the array never ends: the file was cut"
                                                               : "'{' of an event expected", e);
    if (through(v, c, true, e) < 0)
        return -1;
    *object = json_loadb(v->text, v->size, 0, &why);
    if (*object == NULL)
        return blame(v, v->line + (why.line > 0 ? (size_t)why.line - 1 : 0), why.text, e);
    return 1;
}

void events_free(struct events *v)
{
    free(v->text);
    *v = (struct events){ 0 };
}
