/* The workers that a server starts itself: -x commands, a socket pair as their stdin and stdout. */
#ifndef RUN_SPAWN_H
#define RUN_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/set.h"

/* One command. A process group of its own, so that all that a shell started can be ended. */
struct child {
    uint64_t rank;
    char *command;  /* %r, %P and %% are replaced */
    pid_t pid;      /* 0: not started yet, or reaped */
    int status;     /* of waitpid, once it ended */
    bool ended;     /* started and reaped */
    bool told_to_end; /* spawn_signal was here */
    bool joined;    /* its connection was once a worker's (the server's to set) */
    struct err why; /* what the server had against it: said in place of its exit status */
};

/* Zeroed before use. */
struct spawn {
    struct child *v;
    size_t n;
};

/* The commands of a run: one with %r stands for all `workers`, else the i-th is rank i. *workers is
 * 0 when -P was not given, and then becomes the number of commands. ERR_USAGE: another % in a
 * command, more commands than workers. */
int spawn_plan(struct spawn *s, const struct text_list *commands, uint64_t *workers, struct err *e);

/* A command that is no worker, as it stands. ERR_SYSTEM. */
int spawn_one(struct spawn *s, const char *command, struct err *e);

/* Starts one by /bin/sh -c, with DSGD_PS=stdio and DSGD_RANK; *fd is our end of its stdin and
 * stdout. */
int spawn_start(struct child *c, int *fd, struct err *e);

/* The next child that has ended, reaped, or NULL. What is left of its group gets SIGTERM. */
struct child *spawn_reap(struct spawn *s);

size_t spawn_alive(const struct spawn *s);
void spawn_signal(struct spawn *s, int signal);

/* Ended with a status other than 0, or by a signal, without being told to end. */
bool spawn_failed(const struct child *c);
/* "ended with status 3", "was ended by signal 9". Returns text. */
const char *spawn_fate(const struct child *c, char *text, size_t room);

/* Kills and reaps what is left. */
void spawn_free(struct spawn *s);

#endif
