/* The worker's side of a connection over socket pairs, and the spelling of addresses. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "lib/tap.h"
#include "net/address.h"
#include "net/channel.h"
#include "net/frame.h"

/* A channel and the server's end of it. */
static int open_channel(struct channel *c)
{
    int fd[2];
    struct err e = { 0 };
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    channel_take(c, fd[0], fd[0], &e);
    return fd[1];
}

static void test_channel(void)
{
    struct channel c;
    struct frame f = { 0 };
    struct err e = { 0 };
    unsigned char got[400], bytes[FRAME_HEADER + 100] = { 0 };
    size_t all = sizeof bytes;
    int peer = open_channel(&c);
    frame_encode(bytes, &(struct frame){ .type = FRAME_PARAMS, .seq = 6, .length = 100 });
    memset(bytes + FRAME_HEADER, 'w', 100);

    double began = clock_now();
    ok(channel_wait(&c, 0.02, &f, &e) == 0 && clock_now() - began >= 0.02,
       "waiting ends when its time is over, not before");
    bool early = write(peer, bytes, 25) != 25 || channel_wait(&c, 0.001, &f, &e) != 0;
    ok(!early && write(peer, bytes + 25, all - 25) > 0 && channel_wait(&c, 9, &f, &e) == 1 &&
           f.seq == 6 && f.length == 100 && channel_read(&c, got, 100, &e) == 0 &&
           memcmp(got, bytes + FRAME_HEADER, 100) == 0,
       "a header that comes in two pieces is one, and its payload follows");

    f = (struct frame){ .type = FRAME_GRAD, .seq = 8 };
    bool sent = channel_send(&c, &f, "head", 4, "body of it", 10, &e) == 0;
    ok(sent && read(peer, got, sizeof got) == FRAME_HEADER + 14 && frame_decode(&f, got, &e) == 0 &&
           f.length == 14 && memcmp(got + FRAME_HEADER, "headbody of it", 14) == 0,
       "a frame goes out with both its pieces");

    c.beat = 0.01;
    c.told = clock_now();
    channel_wait(&c, 0.035, &f, &e);
    ssize_t n = read(peer, got, sizeof got);
    ok(n >= FRAME_HEADER && n % FRAME_HEADER == 0 && frame_decode(&f, got, &e) == 0 &&
           f.type == FRAME_HEARTBEAT, "whoever waits sends heartbeats");
    c.beat = INFINITY;

    c.limit = 0.03;
    ok(channel_wait(&c, 9, &f, &e) < 0 && e.kind == ERR_PEER && c.lost &&
           same_text(e.text, "connection lost: nothing came for 0.03 s"),
       "a silent peer is lost when the limit is over, and the limit is named");
    float *much = calloc(1000000, sizeof *much);
    ok(channel_send(&c, &f, NULL, 0, much, 4000000, &e) < 0 &&
           same_text(e.text, "connection lost: nothing was taken for 0.03 s"),
       "so is one that takes nothing");
    close(peer);
    ok(channel_wait(&c, 9, &f, &e) < 0 && c.lost &&
           channel_send(&c, &f, NULL, 0, much, 40, &e) < 0 &&
           same_text(e.text, "connection closed"), "one that closed is lost at once");
    channel_close(&c);
    free(much);
}

/* A worker's stdin and stdout may be pipes to filters, whose flags they share. */
static void test_pipes(void)
{
    enum { BODY = 60000 }; /* a pipe takes some of it at a time */
    int in[2], out[2], pair[2];
    struct channel c, s;
    struct frame f = { .type = FRAME_GRAD };
    struct err e = { 0 };
    char *body = calloc(BODY, 3), byte;
    bool open = pipe(in) == 0 && pipe(out) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 &&
                channel_take(&c, in[0], out[1], &e) == 0 &&
                channel_take(&s, pair[0], pair[0], &e) == 0;
    ok(open && channel_wait(&c, 0.001, &f, &e) == 0 && channel_wait(&s, 0.001, &f, &e) == 0 &&
           ((fcntl(in[0], F_GETFL) | fcntl(out[1], F_GETFL) | fcntl(pair[0], F_GETFL)) &
            O_NONBLOCK) == 0,
       "a channel waits without a flag that others share");
    channel_close(&s);

    c.limit = 0.03;
    ok(channel_send(&c, &f, "head", 4, body, BODY * 3, &e) < 0 &&
           same_text(e.text, "connection lost: nothing was taken for 0.03 s"),
       "a full pipe is waited for within the limit");
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    while (read(out[0], body, BODY) > 0)
        ;
    bool sent = channel_send(&c, &f, "head", 4, body, 1000, &e) == 0;
    unsigned char got[FRAME_HEADER + 1100] = { 0 };
    ok(sent && read(out[0], got, sizeof got) == FRAME_HEADER + 1004 &&
           frame_decode(&f, got, &e) == 0 && memcmp(got + FRAME_HEADER, "head", 4) == 0,
       "a frame goes through a pipe");
    bool wrote = write(in[1], got, sizeof got) > 0;
    ok(wrote && channel_wait(&c, 9, &f, &e) == 1 && channel_read(&c, got, 1004, &e) == 0,
       "and comes through one");
    close(in[1]);
    ok(channel_skip(&c, 96, &e) == 0 && channel_wait(&c, 9, &f, &e) < 0 && c.lost,
       "the end of a pipe is the end of the connection");
    channel_close(&c);
    ok(read(out[0], &byte, 1) == 0, "both ends are closed");
    close(out[0]);
    close(pair[1]);
    free(body);
}

static void test_addresses(void)
{
    static const struct {
        const char *text, *want; /* as address_full has it, or the error */
    } rows[] = {
        { "unix:/run/ps", "unix:/run/ps" },
        { "tcp:127.0.0.1:0", "tcp:127.0.0.1:0" },
        { "tcp:[::1]:4000", "tcp:[::1]:4000" },
        { "tcp:localhost:4000/00112233445566778899aabbccddeeff",
          "tcp:localhost:4000/00112233445566778899aabbccddeeff" },
        { "stdio", "stdio" },
        { "tcp:127.0.0.1:70000", "port out of range: 70000, ports go from 0 to 65535" },
        { "tcp:127.0.0.1:-1", "port out of range: -1, ports go from 0 to 65535" },
        { "tcp:127.0.0.1:99999999999999999999999999999999999999",
          "port out of range: 99999999999999999999999999999999999999, ports go from 0 to 65535" },
        { "tcp:127.0.0.1:12x", "not a port number: 12x" },
        { "tcp:127.0.0.1:1e3", "not a port number: 1e3" },
        { "tcp:127.0.0.1:", "no port: write tcp:HOST:PORT" },
        { "tcp:127.0.0.1", "no port: write tcp:HOST:PORT" },
        { "tcp:[::1]", "no port: write tcp:HOST:PORT" },
        { "tcp::4000", "no host: write tcp:HOST:PORT" },
        { "tcp:::1:4000", "an IPv6 address needs brackets: write tcp:[::1]:4000" },
        { "tcp:[::1", "no closing bracket: write tcp:[ADDRESS]:PORT" },
        { "tcp:h:1/abc", "the token behind the port has 32 hex digits" },
        { "unix:", "no path: write unix:PATH" },
        { "stdio:x", "stdio takes nothing behind it" },
        { "localhost:4000", "write unix:PATH, tcp:HOST:PORT, tls:HOST:PORT or stdio" },
        { "", "write unix:PATH, tcp:HOST:PORT, tls:HOST:PORT or stdio" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct address a;
        struct err e = { 0 };
        char text[200], want[300];
        int parsed = address_parse(&a, rows[i].text, &e);
        if (parsed == 0)
            ok(same_text(address_full(&a, text, sizeof text), rows[i].want), "%s is understood",
               rows[i].text);
        else {
            snprintf(want, sizeof want, "address '%s': %s", rows[i].text, rows[i].want);
            ok(e.kind == ERR_USAGE && same_text(e.text, want), "%s is refused with its reason",
               rows[i].text);
        }
    }
    struct address a, b;
    struct err e = { 0 };
    char full[100], plain[100];
    address_parse(&a, "tcp:127.0.0.1:5", &e);
    address_parse(&b, "tcp:127.0.0.1:5", &e);
    ok(address_make_token(&a, &e) == 0 && address_make_token(&b, &e) == 0 &&
           strlen(a.token) == TOKEN_TEXT && strcmp(a.token, b.token) != 0, "two tokens differ");
    address_full(&a, full, sizeof full);
    ok(same_text(address_text(&a, plain, sizeof plain), "tcp:127.0.0.1:5") &&
           strstr(full, a.token) && address_parse(&b, full, &e) == 0 &&
           strcmp(a.token, b.token) == 0,
       "a token stands in the full address alone");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_channel();
    test_pipes();
    test_addresses();
    return tap_done();
}
