/* strangers ADDRESS COUNT [PID]: so many connections that send garbage of several kinds and close,
 * one after the other; with PID a thousand a second, until that process, too, has ended. Prints how
 * many were taken. ADDRESS "elsewhere": at a door of their own, which takes what it can and closes:
 * what strangers cost a machine, and not a server. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/num.h"
#include "net/address.h"
#include "net/frame.h"

enum { ROOM = 4096, TRIES = 500 /* a millisecond each: a socket file's queue may be full */ };

/* Kind i of garbage; bytes. */
static size_t garbage(uint64_t i, unsigned char *g)
{
    static const char http[] = "GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n";
    static const unsigned char client_hello[] = { 0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3 };
    struct frame f = { .type = FRAME_HELLO, .length = i % 2 ? FRAME_TEXT_MAX : ~UINT64_C(0) };
    memset(g, (int)(i * 37), ROOM);
    switch (i % 5) {
    case 0:
        memcpy(g, http, sizeof http - 1);
        return sizeof http - 1;
    case 1:
        memcpy(g, client_hello, sizeof client_hello);
        return 205;
    case 2:
        frame_encode(g, &f);
        return ROOM;
    case 3:
        frame_encode(g, &(struct frame){ .type = FRAME_HELLO, .length = TOKEN_TEXT + 10 });
        return FRAME_HEADER + TOKEN_TEXT + 10;
    default:
        return ROOM;
    }
}

static int dial(const struct address *a)
{
    for (int i = 0; i < TRIES; i++) {
        struct err ignored = { 0 };
        int fd = address_dial(a, 5, &ignored);
        if (fd >= 0)
            return fd;
        poll(NULL, 0, 1);
    }
    return -1;
}

/* A process that ends when it is killed. < 0: no such. */
static pid_t open_door(struct address *a)
{
    char bytes[ROOM];
    struct err e = { 0 };
    int door = address_parse(a, "tcp:127.0.0.1:0", &e) < 0 ? -1 : address_listen(a, 1, &e);
    pid_t pid = door < 0 ? -1 : fork();
    while (pid == 0) {
        int fd = poll(&(struct pollfd){ .fd = door, .events = POLLIN }, 1, -1) < 0 ? -1 : accept(door, NULL, NULL);
        if (fd < 0 || (recv(fd, bytes, sizeof bytes, 0) < 0 && errno != ECONNRESET) || close(fd) < 0)
            _exit(1);
    }
    close(door);
    return pid;
}

int main(int argc, char **argv)
{
    struct address a;
    struct err e = { 0 };
    uint64_t count = 0, pid = 0, taken = 0;
    pid_t door = 0;
    unsigned char bytes[ROOM];
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "elsewhere") == 0)
        door = open_door(&a);
    if (argc < 3 || door < 0 || (door == 0 && address_parse(&a, argv[1], &e) < 0) || num_whole(argv[2], &count, &e) < 0 ||
        (argc > 3 && num_whole(argv[3], &pid, &e) < 0))
        return 2;
    for (uint64_t i = 0; i < count || (pid != 0 && kill((pid_t)pid, 0) == 0); i++) {
        int fd = dial(&a);
        if (fd < 0)
            break;
        size_t n = garbage(i, bytes);
        taken += send(fd, bytes, n, MSG_NOSIGNAL) > 0;
        close(fd);
        if (pid != 0)
            poll(NULL, 0, 1);
    }
    printf("%" PRIu64 "\n", taken);
    if (door > 0)
        kill(door, SIGKILL);
    return 0;
}
