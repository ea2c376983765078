/* Checkpoints: when one is due, and the process that writes it beside the training. */
#include "run/server/save.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/mem.h"
#include "run/checkpoint.h"
#include "run/shards.h"

enum { FDS_MAX = 1 << 16 };

struct save {
    double next;      /* seconds when the next one is due */
    uint64_t saved;   /* update of the file; NO_PLACE: there is none of this run */
    uint64_t writing; /* update of the one under way */
    bool due, last;   /* a newer one is wanted as soon as that is done; and no other will be */
    pid_t pid;        /* of the child; 0: none */
    int words;        /* from the child: why it failed */
    char told[sizeof ((struct err *)0)->text]; /* why the one before failed; "": it did not */
    struct out out;   /* what it writes to */
};

int save_open(struct server *s, struct err *e)
{
    const char *path = s->conf->checkpoint;
    struct out o;
    struct stat st;
    if (path == NULL)
        return 0;
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)))
        return err_set(e, ERR_USAGE, "-C '%s': a checkpoint needs a file of its own", path);
    if (out_open(&o, path, e) < 0)
        return err_ctx(e, "the checkpoint (-C)");
    out_abort(&o);
    out_sweep(path);
    if (s->conf->train.output != NULL)
        out_sweep(s->conf->train.output);
    s->save = mem_new(1, sizeof *s->save, e);
    if (s->save == NULL)
        return -1;
    s->save->saved = NO_PLACE;
    return 0;
}

void save_close(struct server *s)
{
    struct save *v = s->save;
    if (v == NULL)
        return;
    if (v->pid != 0) {
        kill(v->pid, SIGKILL);
        waitpid(v->pid, NULL, 0);
        close(v->words);
    }
    out_abort(&v->out);
    free(v);
    s->save = NULL;
}

bool save_busy(const struct server *s)
{
    return s->save != NULL && s->save->pid != 0;
}

static void set_next(struct save *v, const struct every *every, double now)
{
    if (every->seconds > 0)
        v->next = (floor(now / every->seconds) + 1) * every->seconds;
}

void save_begin(struct server *s, double now, uint64_t saved)
{
    if (s->save == NULL)
        return;
    s->save->saved = saved;
    set_next(s->save, &s->conf->checkpoint_every, now);
}

/* The child's part. */

static int write_file(struct server *s, struct err *e)
{
    json_t *shards = json_array();
    for (uint64_t r = 0; r < s->workers; r++)
        shards_append(shards, r, s->places[r].shards);
    if (json_object_set_new(s->about, "shards", shards) < 0)
        return err_memory(e);
    struct checkpoint_note note = {
        .conf = &s->conf->train,
        .shape = &s->shape,
        .run = s->about,
        .trace = s->trace.marked,
        .workers = s->workers,
    };
    if (s->trace.file != NULL)
        fsync(fileno(s->trace.file)); /* a pipe cannot be: it keeps nothing that could be lost */
    if (checkpoint_write(&s->save->out, &note, s->aggregate, e) < 0)
        return -1;
    return out_commit(&s->save->out, e);
}

/* A connection that the server closes must be closed, whoever else had it open. */
static void keep_only(int a, int b, int c)
{
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = STDERR_FILENO + 1; fd < (most > 0 && most < FDS_MAX ? most : FDS_MAX); fd++)
        if (fd != a && fd != b && fd != c)
            close(fd);
}

/* What the loop makes of signals is none of the child's business. It ends with its server, for the next one must
 * not find a file that changes. */
static void leave_the_loop(pid_t server, const sigset_t *was)
{
    static const int stopping[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        signal(stopping[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != server)
        _exit(ERR_SYSTEM);
    sigprocmask(SIG_SETMASK, was, NULL);
}

static void run_child(struct server *s, pid_t server, int words, const sigset_t *was)
{
    struct err e = { 0 };
    leave_the_loop(server, was);
    keep_only(words, s->save->out.fd, s->trace.file == NULL ? NO_FD : fileno(s->trace.file));
    if (write_file(s, &e) < 0 && write(words, e.text, strlen(e.text)) < 0)
        _exit(ERR_SYSTEM);
    _exit((int)e.kind);
}

/* The server's part. */

/* What is told at once, but not again for the same reason; at the end it is the status of a run that ended well otherwise. */
static void failed(struct server *s, struct err *e)
{
    struct save *v = s->save;
    bool again = strcmp(v->told, e->text) == 0;
    memcpy(v->told, e->text, sizeof v->told);
    err_ctx(e, "no checkpoint of update %ju", (uintmax_t)v->writing);
    if (v->last && !v->due && s->failure.kind == ERR_OK)
        s->failure = *e;
    if (v->last || again)
        return;
    log_note(s->log, "%s; the run goes on", e->text);
    if (v->saved != NO_PLACE)
        log_note(s->log, "%s is that of update %ju", s->conf->checkpoint, (uintmax_t)v->saved);
}

static int start_child(struct server *s, struct err *e)
{
    struct save *v = s->save;
    sigset_t all, was;
    int pair[2];
    pid_t server = getpid();
    if (pipe2(pair, O_CLOEXEC) < 0)
        return err_sys(e, "a pipe");
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &was);
    v->pid = fork();
    if (v->pid == 0)
        run_child(s, server, pair[1], &was);
    int why = errno;
    sigprocmask(SIG_SETMASK, &was, NULL);
    close(pair[1]);
    if (v->pid > 0) {
        v->words = pair[0];
        return 0;
    }
    v->pid = 0;
    close(pair[0]);
    errno = why;
    return err_sys(e, "fork");
}

static void start(struct server *s)
{
    struct save *v = s->save;
    struct err e = { 0 }, trace = { 0 };
    v->due = false;
    v->writing = aggregate_iteration(s->aggregate);
    if (trace_flush(&s->trace, &trace) < 0 && s->failure.kind == ERR_OK)
        s->failure = trace;
    if (out_open(&v->out, s->conf->checkpoint, &e) == 0 && start_child(s, &e) == 0)
        return;
    out_abort(&v->out);
    failed(s, &e);
}

static void start_if_due(struct server *s)
{
    if (s->save->due && s->save->pid == 0)
        start(s);
}

void save_updated(struct server *s, double now)
{
    struct save *v = s->save;
    if (v == NULL)
        return;
    const struct every *every = &s->conf->checkpoint_every;
    if (every->updates > 0 ? aggregate_iteration(s->aggregate) % every->updates == 0
                           : now >= v->next) {
        v->due = true;
        set_next(v, every, now);
    }
    start_if_due(s);
}

void save_last(struct server *s)
{
    struct save *v = s->save;
    if (v == NULL)
        return;
    uint64_t last = aggregate_iteration(s->aggregate);
    v->last = true;
    v->due = (v->pid != 0 ? v->writing : v->saved) != last;
    start_if_due(s);
}

/* What the child said, and how it ended. */
static int fate(struct save *v, int status, struct err *e)
{
    char words[sizeof e->text];
    ssize_t n = read(v->words, words, sizeof words - 1);
    close(v->words);
    words[n > 0 ? n : 0] = '\0';
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (words[0] != '\0')
        return err_set(e, ERR_SYSTEM, "%s", words);
    return err_set(e, ERR_SYSTEM, "the process that wrote it was ended by %s %d",
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void save_ended(struct server *s)
{
    struct save *v = s->save;
    struct err e = { 0 };
    int status;
    if (v == NULL || v->pid == 0 || waitpid(v->pid, &status, WNOHANG) != v->pid)
        return;
    v->pid = 0;
    int rc = fate(v, status, &e);
    out_abort(&v->out); /* its file has its own name by now, or is to go */
    if (rc < 0) {
        failed(s, &e);
    } else {
        v->saved = v->writing;
        v->told[0] = '\0';
        log_detail(s->log, "%s is the checkpoint of update %ju", s->conf->checkpoint,
                   (uintmax_t)v->saved);
    }
    start_if_due(s);
}
