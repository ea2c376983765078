/* Tells the addresses of the server to those who asked for them: a file, a descriptor, or people. */
#ifndef RUN_ANNOUNCE_H
#define RUN_ANNOUNCE_H

#include "run/server/state.h"

/* Once all listen. A FIFO or a pipe takes it when its reader does: nobody waits for that. */
int announce(struct server *s, struct err *e);
/* Nobody can connect any more: the file goes, and so does what nobody has read. */
void announce_close(struct server *s);

#endif
