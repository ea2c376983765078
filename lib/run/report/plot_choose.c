/* Which files these are, and which picture they make. */
#include "run/report/plot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/temp.h"
#include "run/report/plot_kinds.h"

/* A kind of file: the columns that tell it, and what of it can be shown. */
static const struct {
    const char *what;
    const char *columns[4];
    int (*draw)(const struct plotting *p, struct err *e);
    bool many;           /* several go into one picture */
    const char *show[4]; /* besides nothing */
} kinds[INPUT_KINDS] = {
    [INPUT_CURVE] = { "a curve", { "iteration", "time", "loss" }, plot_curves, true, { "loss", "error" } },
    [INPUT_TRACE] = { "a trace", { NULL }, plot_trace, false, { "timeline", "staleness", "delays" } },
    [INPUT_DELAYS] = { "a column of durations", { "duration" }, plot_delays, false, { "delays" } },
    [INPUT_FITS] = { "a table of fits", { "family", "spec", "loglik" }, NULL, false, { NULL } },
    [INPUT_PLAN] = { "a plan", { "policy", "K", "runtime" }, plot_plan, false, { NULL } },
    [INPUT_BOUNDS] = { "a table of bounds", { "policy", "K", "time", "bound" }, plot_bounds, false, { NULL } },
};

/* Whether a header row, tabs between names, has the column. */
static bool has_column(const char *line, const char *name)
{
    size_t n = strlen(name);
    for (; *line; line += strcspn(line, "\t"), line += *line == '\t')
        if (strncmp(line, name, n) == 0 && strchr("\t\r\n ,", line[n]) != NULL)
            return true;
    return false;
}

static bool is_kind(const char *line, enum input_kind k)
{
    size_t i = 0;
    while (i < 4 && kinds[k].columns[i] && has_column(line, kinds[k].columns[i]))
        i++;
    return i > 0 && (i == 4 || kinds[k].columns[i] == NULL);
}

/* A column of durations may do without a name. */
static bool is_number(const char *line)
{
    double v;
    size_t n = strcspn(line, "\t\r\n ,");
    return n > 0 && num_double(line, line + n, &v) == line + n;
}

static int recognise(struct plot_input *in, const char *line, struct err *e)
{
    static const char trace[] = "# dsgd-trace ";
    if (strncmp(line, trace, sizeof trace - 1) == 0) {
        in->kind = INPUT_TRACE;
        return 0;
    }
    for (unsigned k = 0; k < INPUT_KINDS; k++)
        if (is_kind(line, (enum input_kind)k)) {
            in->kind = (enum input_kind)k;
            return 0;
        }
    in->kind = INPUT_DELAYS;
    if (is_number(line))
        return 0;
    return err_set(e, ERR_DATA, "%s:1: nothing that can be plotted: known are tables of dsgd-eval (iteration, time, "
                   "loss), of dsgd-plan, with --curve or without, of dsgd-trace fit and delays, and traces", in->name);
}

static int look(struct plot_input *in, struct err *e)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(in->path, "r");
    if (f == NULL)
        return err_sys(e, "%s", in->name);
    int status = getline(&line, &room, f) < 0 ? err_set(e, ERR_DATA, "%s: empty: there is nothing to plot", in->name)
                                              : recognise(in, line, e);
    free(line);
    fclose(f);
    return status;
}

/* Standard input is read more than once: into a file first, whose name goes to *path. */
static int keep(struct temp *t, char **path, struct err *e)
{
    char block[65536];
    ssize_t n;
    if (*path != NULL)
        return err_set(e, ERR_USAGE, "standard input stands for one file, not for two");
    if (temp_open(t, e) < 0)
        return -1;
    while ((n = read(STDIN_FILENO, block, sizeof block)) > 0)
        if (temp_append(t, block, (size_t)n, e) < 0)
            return -1;
    if (n < 0)
        return err_sys(e, "standard input");
    lseek(t->fd, 0, SEEK_SET);
    *path = mem_print(e, "/dev/fd/%d", t->fd);
    return *path == NULL ? -1 : 0;
}

static bool can_show(enum input_kind k, const char *what)
{
    size_t i = 0;
    while (i < 4 && kinds[k].show[i] && strcmp(kinds[k].show[i], what) != 0)
        i++;
    return i < 4 && kinds[k].show[i] != NULL;
}

/* Fits go over durations: they are put behind them. */
static int check(struct plotting *p, struct plot_input *v, struct err *e)
{
    if (p->n == 2 && v[0].kind == INPUT_FITS) {
        struct plot_input fits = v[0];
        v[0] = v[1];
        v[1] = fits;
    }
    enum input_kind first = v[0].kind;
    bool fitted = p->n == 2 && v[1].kind == INPUT_FITS && (first == INPUT_TRACE || first == INPUT_DELAYS);
    if (first == INPUT_FITS)
        return err_set(e, ERR_USAGE, "%s: fits are drawn over durations: name their trace or column, too", v[0].name);
    for (size_t i = 1; i < p->n && !fitted; i++)
        if (!kinds[first].many || v[i].kind != first)
            return err_set(e, ERR_USAGE, "%s is %s and %s is %s: one picture has curves, or one other file, or durations "
                           "and their fits", v[0].name, kinds[first].what, v[i].name, kinds[v[i].kind].what);
    if (fitted)
        p->show = "delays";
    if (p->show && !can_show(first, p->show))
        return err_set(e, ERR_USAGE, "--show '%s': not of %s (%s)", p->show, kinds[first].what, v[0].name);
    return 0;
}

static int draw(struct plotting *p, struct plot_input *v, struct err *e)
{
    for (size_t i = 0; i < p->n; i++)
        if (look(&v[i], e) < 0)
            return -1;
    if (check(p, v, e) < 0)
        return -1;
    bool durations = p->show && strcmp(p->show, "delays") == 0;
    return durations ? plot_delays(p, e) : kinds[v[0].kind].draw(p, e);
}

/* By the name of the output. On a terminal text is shown, for nothing else can be. */
static int choose_kind(struct plotting *p, const struct plot_conf *c, struct err *e)
{
    static const char *const known[] = { "svg", "png", "pdf" };
    const char *dot = c->out ? strrchr(c->out, '.') : NULL;
    p->out = c->out ? c->out : "-";
    p->kind = c->ascii || (c->out == NULL && isatty(STDOUT_FILENO)) ? "dumb" : "svg";
    if (c->ascii || c->out == NULL || strcmp(c->out, "-") == 0)
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (dot && strcmp(dot + 1, known[i]) == 0) {
            p->kind = known[i];
            return 0;
        }
    return err_set(e, ERR_USAGE, "--output '%s': the name has to end in .svg, .png or .pdf (or --ascii)", c->out);
}

int plot(const struct plot_conf *c, const struct log *log, char *const *paths, size_t n, struct err *e)
{
    struct plotting p = { .log = log, .show = c->show, .n = n };
    struct temp kept = { 0 };
    char *path = NULL;
    if (choose_kind(&p, c, e) < 0)
        return -1;
    struct plot_input *v = mem_new(n, sizeof *v, e);
    int status = v == NULL ? -1 : 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        bool input = strcmp(paths[i], "-") == 0;
        status = input ? keep(&kept, &path, e) : 0;
        v[i] = (struct plot_input){ input ? path : paths[i], input ? "<stdin>" : paths[i], INPUT_CURVE };
    }
    p.v = v;
    if (status == 0)
        status = draw(&p, v, e);
    free(v);
    free(path);
    temp_close(&kept);
    return status;
}
