/* What went wrong, in words, and the exit status that it means. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_kind {
    ERR_OK = 0,
    ERR_NO = 1,     /* the answer is no: target not reached, loss not finite */
    ERR_USAGE = 2,  /* the command line is wrong */
    ERR_DATA = 3,   /* bad data */
    ERR_SYSTEM = 4, /* the system refused: file, memory, socket */
    ERR_PEER = 5,   /* a peer was lost or broke the protocol */
};

/* Zeroed before use. The text never holds a newline. */
struct err {
    enum err_kind kind;
    char text[1024];
};

#define ERR_PRINTF(at) __attribute__((format(printf, at, at + 1)))

/* Says what failed; always returns -1, so that `return err_set(...)` fails the caller. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) ERR_PRINTF(3);

/* The same as ERR_SYSTEM, with the text of errno behind it. */
int err_sys(struct err *e, const char *fmt, ...) ERR_PRINTF(2);

/* Puts "fmt: " in front of what is there; returns -1. */
int err_ctx(struct err *e, const char *fmt, ...) ERR_PRINTF(2);

/* Out of memory, as an error like others; returns -1. */
int err_memory(struct err *e);

/* The end of every main: finds out whether stdout was really written, prints "program: text" on
 * stderr when something failed, and returns the exit status. */
int err_exit(struct err *e, const char *program);

#endif
