/* What the system can do for the socket of a connection. */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

/* Room for large frames, no waiting for small ones, and no child inherits it. Best effort: nothing of it
 * decides whether the connection works. */
void socket_tune(int fd);

/* Reads away what a refused peer still has under way: closing on unread bytes would reset the
 * connection, and the peer could lose the ERROR that tells it why. Does not wait. */
void socket_discard(int fd);

#endif
