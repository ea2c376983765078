/* What gnuplot is told, and gnuplot. */
#include "run/report/plot_script.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "base/out.h"

extern char **environ;

int script_open(struct script *s, const char *kind, struct err *e)
{
    s->kind = kind;
    s->file = tmpfile();
    if (s->file == NULL)
        return err_sys(e, "a temporary file for gnuplot");
    script_text(s, "kind", kind);
    script_text(s, "picture", ""); /* standard output */
    return 0;
}

void script_close(struct script *s)
{
    if (s->file)
        fclose(s->file);
    s->file = NULL;
}

/* In single quotes nothing but these means anything to gnuplot, and a newline would end them. */
static void put_quoted(FILE *f, const char *text)
{
    putc('\'', f);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', f);
        putc(*text == '\n' ? ' ' : *text, f);
    }
    fputs("'\n", f);
}

void script_text(struct script *s, const char *name, const char *value)
{
    fprintf(s->file, "%s = ", name);
    put_quoted(s->file, value);
}

static void put_real(FILE *f, double v)
{
    char text[NUM_TEXT];
    fputs(isfinite(v) ? num_print_double(text, v) : "NaN", f);
}

void script_real(struct script *s, const char *name, double value)
{
    fprintf(s->file, "%s = 1.0 * ", name); /* whole numbers would be divided as such */
    put_real(s->file, value);
    putc('\n', s->file);
}

void script_names(struct script *s, char *const *names, size_t n)
{
    fprintf(s->file, "blocks = %zu\narray names[%zu]\n", n, n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        fprintf(s->file, "names[%zu] = ", i + 1);
        put_quoted(s->file, names[i]);
    }
}

static void put_nothing(FILE *f, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        fputs(i + 1 < columns ? "NaN\t" : "NaN\n", f);
}

void script_table(struct script *s, unsigned columns)
{
    fputs("$table << END\n", s->file);
    put_nothing(s->file, columns);
}

void script_block(struct script *s, unsigned columns)
{
    fputs("\n\n", s->file);
    put_nothing(s->file, columns);
}

void script_row(struct script *s, const double *v, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++) {
        put_real(s->file, v[i]);
        putc(i + 1 < columns ? '\t' : '\n', s->file);
    }
}

void script_table_end(struct script *s)
{
    fputs("END\ntable = '$table'\n", s->file);
}

static void load(struct script *s, const char *name)
{
    const char *folder = getenv("DSGD_PLOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.gp", folder && *folder ? folder : DSGD_PKGDATADIR "/plot", name);
    fputs("load ", s->file);
    put_quoted(s->file, path);
}

static int run(int in, int out, struct err *e)
{
    char *argv[] = { "gnuplot", "-d", "-", NULL };
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status, rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, in, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, out, 1);
    if (rc == 0)
        rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc == ENOENT)
        return err_set(e, ERR_SYSTEM, "gnuplot draws the pictures, and is not on PATH: install it (Debian: apt-get "
                       "install gnuplot-nox)");
    errno = rc;
    if (rc != 0)
        return err_sys(e, "gnuplot");
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_sys(e, "gnuplot");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return err_set(e, ERR_SYSTEM, "gnuplot failed: what it said stands above (5.2 or newer is needed)");
}

/* At the end of what was written, gnuplot reads from the start. */
static int draw(struct script *s, int out, struct err *e)
{
    if (fflush(s->file) != 0 || ferror(s->file) || lseek(fileno(s->file), 0, SEEK_SET) < 0)
        return err_sys(e, "a temporary file for gnuplot");
    return run(fileno(s->file), out, e);
}

int script_draw(struct script *s, const char *name, const char *path, struct err *e)
{
    struct out out = { 0 };
    load(s, "style");
    load(s, name);
    fputs("unset output\n", s->file);
    if (strcmp(path, "-") == 0)
        return draw(s, STDOUT_FILENO, e);
    if (out_open(&out, path, e) < 0)
        return -1;
    if (draw(s, out.fd, e) == 0)
        return out_commit(&out, e);
    out_abort(&out);
    return -1;
}
