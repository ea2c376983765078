/* Tables as the programs print them: tab-separated text, a header row that names the columns. */
#include "run/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The text of field i of the row, ended by a zero: what follows a field is a tab or the end. */
static char *text_of(struct cells *c, size_t i)
{
    size_t n;
    char *text = fields_text(&c->record, i, &n);
    text[n] = '\0';
    return text;
}

static int read_header(struct cells *c, struct err *e)
{
    int more = fields_next(&c->record, e);
    if (more <= 0)
        return more < 0 ? -1 : err_set(e, ERR_DATA, "%s: empty: the first line names the columns",
                                       c->source.name);
    c->name = mem_new(c->record.n, sizeof *c->name, e);
    for (size_t i = 0; c->name != NULL && i < c->record.n; i++) {
        c->name[i] = mem_text(text_of(c, i), e);
        if (c->name[i] == NULL)
            return -1;
        c->columns = i + 1;
    }
    return c->name == NULL ? -1 : 0;
}

int cells_open(struct cells *c, const char *path, struct err *e)
{
    c->record.separator = '\t';
    c->record.lines.source = &c->source;
    if (source_open(&c->source, path, NULL, e) < 0)
        return -1;
    int more = source_next(&c->source, e);
    if (more <= 0)
        return more < 0 ? -1 : err_set(e, ERR_DATA, "%s: no file in it", path);
    return read_header(c, e);
}

void cells_close(struct cells *c)
{
    for (size_t i = 0; i < c->columns; i++)
        free(c->name[i]);
    free(c->name);
    fields_free(&c->record);
    source_close(&c->source);
    *c = (struct cells){ 0 };
}

int cells_blame(const struct cells *c, struct err *e)
{
    return lines_blame(&c->record.lines, e);
}

int cells_next(struct cells *c, struct err *e)
{
    int more = fields_next(&c->record, e);
    if (more <= 0 || c->record.n == c->columns)
        return more;
    err_set(e, ERR_DATA, "%zu columns, the header has %zu", c->record.n, c->columns);
    return cells_blame(c, e);
}

const char *cells_text(struct cells *c, const char *column)
{
    for (size_t i = 0; i < c->columns; i++)
        if (strcmp(c->name[i], column) == 0) {
            const char *text = text_of(c, i);
            return strcmp(text, "NA") == 0 ? NULL : text;
        }
    return NULL;
}
