/* What the parts of the server share: its state, and what each part does with it. */
#ifndef RUN_SERVER_STATE_H
#define RUN_SERVER_STATE_H

#include <event2/event.h>
#include <jansson.h>

#include "base/out.h"
#include "base/trace.h"
#include "net/address.h"
#include "net/conn.h"
#include "run/aggregate.h"
#include "run/hello.h"
#include "run/server/server.h"
#include "run/shape.h"
#include "run/told.h"
#include "run/server/spawn.h"
#include "run/server/stream.h"

enum phase {
    PHASE_GATHER, /* until all P are there */
    PHASE_RUN,
    PHASE_DRAIN, /* the run is over; workers are told to leave, once its checkpoint is written */
};

enum peer_state {
    PEER_NEW,     /* has not said HELLO */
    PEER_READY,   /* has a place and waits for the start */
    PEER_SPARE,   /* waits for a place */
    PEER_WORKING, /* in the run, at its place */
    PEER_LEAVING, /* was told to leave */
};
#define NO_PLACE UINT64_MAX

/* Parameters that a worker has, or will have when all that is on its way has come. */
struct held_version {
    bool some;
    uint64_t version;
};

/* A connection. */
struct peer {
    struct peer *next;
    struct server *server;
    struct conn *conn;
    enum peer_state state;
    const struct listener *via; /* NULL: a child's */
    struct child *child;        /* or NULL */
    struct event *hello_limit;  /* it has to say HELLO until then; NULL: no limit */
    uint64_t rank;              /* its place, or NO_PLACE */
    struct hello hello;         /* once it is no longer PEER_NEW */
    char label[160];            /* "host:42, shard-1", for messages */
    unsigned char *payload;     /* of the frame that is coming in, but for gradients */
    struct held_version holds, held_before; /* held_before: the last PARAMS */
    bool said_bye;              /* what it left unfinished is in the trace */
};

/* What went over connections that are no more. */
struct traffic {
    uint64_t received, sent; /* bytes */
};

/* One of the P. Outlives the workers that fill it. */
struct place {
    struct peer *peer; /* NULL: empty */
    unsigned char
        *gradient;    /* FRAME_WORK bytes and the model's floats: its gradients arrive here */
    char label[160];  /* of its worker, also when that is gone */
    uint64_t lost_at; /* update at which its worker was lost; NO_PLACE: it was not */
    uint64_t budget;  /* minibatches that its worker is to make */
    bool left;        /* its worker did, before the start */
    json_t *shards;   /* of its worker, also when that is gone; NULL: nobody was here yet */
    struct traffic past; /* of the workers that were here */
    bool spared;      /* a run that goes on needs nobody here */
};

/* Updates during which a place had no worker. */
struct gap {
    uint64_t rank, from, to;
    char label[160];
};

struct listener {
    struct server *server;
    struct address address;
    int fd;
    struct evconnlistener *events;
    struct event *again; /* ends a turn of those who are taken, or the pause after it */
    unsigned burst;      /* connections taken in this turn; 0: a pause */
};

struct server {
    struct server_conf *conf; /* the caller's; a run that goes on fills in what it does not say */
    const struct log *log;
    struct event_base *base;
    enum phase phase;
    uint64_t workers; /* P */

    struct listener *listeners;
    size_t n_listeners;
    struct guard *guard; /* of tls: addresses, or NULL */
    struct traffic past; /* of all peers that are gone */
    uint64_t strangers;  /* connections that were closed because of what they said, or did not */
    struct spawn spawn;
    struct peer *peers;
    struct place *places; /* (P) */
    unsigned char *packed; /* changes, while they are sent */
    size_t packed_cap;
    struct stock stock; /* parameters that sockets did not take yet */
    struct gap *gaps;
    size_t n_gaps, gaps_cap;

    /* From the start of the run. */
    struct shape shape;
    struct adasync rule; /* where K follows the loss */
    struct aggregate *aggregate;
    struct trace_writer trace;
    double start, seconds; /* clock_now() at the start; how long the run was, once it is over */
    uint64_t combine;      /* K as last told */
    bool stalled;
    uint64_t last_lost; /* rank */

    struct out out;         /* -o, or */
    struct stream *model;   /* where a reader takes it */
    struct stream *stream;  /* stdout */
    struct journal *journal; /* -t, or NULL */
    struct judge *judge;    /* --loss-command, or NULL */
    struct save *save;      /* -C, or NULL */
    struct control *control; /* --control, or NULL */
    struct told_rules told;        /* rules that were in force before */
    bool paused;             /* no gradient is taken, the clock stands still, */
    double paused_at;        /* seconds of the run, */
    double pause_began;      /* and clock_now() then */
    struct metrics *metrics; /* --metrics, or NULL */
    struct checkpoint *resumed; /* from which the run goes on; NULL: it begins */
    json_t *about;          /* what the run is: line 1 of the trace */
    double next_snapshot;   /* seconds */
    uint64_t last_snapshot; /* its update; NO_PLACE: none */

    struct event *tick;       /* heartbeats, silence */
    double ticked;            /* clock_now() when it last came */
    struct event *limit;      /* of the phase: --join-timeout, -T, --drain-timeout */
    bool holding;             /* workers are told to leave when the last checkpoint is written */
    struct event *progress;   /* the line on a terminal */
    struct event *loss_limit; /* --loss-timeout */
    struct event *settle;     /* server_settle, soon: for who is in the middle of something */
    struct event *signals[4]; /* INT, TERM, CHLD, HUP */
    bool killing;             /* children were told to end */
    bool summed;              /* the summary is printed */
    int signal;               /* that ended the run, or 0 */
    struct err failure;       /* that ended it, or ERR_OK */
    struct stderr_reader reader; /* of stderr */
    struct err unwritten;     /* what was asked for and is missing, while the run went on; or ERR_OK */
    struct announcement *announcement; /* of the addresses, or NULL */
};

/* server.c: once */
void server_summary(struct server *s);
void server_unwritten(struct server *s, const struct err *e); /* the status of a run that ends well otherwise */

/* life.c */
int life_open(struct server *s, struct err *e);
void life_close(struct server *s);
struct timeval server_interval(double seconds);
double server_now(const struct server *s); /* seconds from the start */
/* The run is over; why: for the trace. failure: or NULL. Once only; later calls do nothing. */
void server_end(struct server *s, const char *why, const struct err *failure);
/* After every event: starts when all are there, ends what has ended, minds losses. */
void server_settle(struct server *s);
/* What an aggregate_ call returned: ERR_PEER is the peer's to pay (-1), another ends the run. */
int server_event(struct server *s, int rc, struct err *e);

/* No gradient is taken until it goes on; workers finish what they have in hand, and wait. */
void server_pause(struct server *s);
void server_go_on(struct server *s);

/* children.c */
int children_start(struct server *s, struct err *e);
void children_refused(struct server *s, struct child *c); /* its connection is, before the start */
void children_ended(struct server *s);       /* reaps those that have, and minds what it means */
void children_blame(const struct server *s); /* says which of them are still there */

/* begin.c: all P are there: the parameters, the trace, WELCOME to all, and off. */
int server_begin(struct server *s, struct err *e);

/* listen.c */
int listen_open(struct server *s, struct err *e);
void listen_close(struct server *s);

/* peer.c: takes fd. */
struct peer *peer_new(struct server *s, int fd, const struct listener *via, struct child *child,
                      struct err *e);
void peer_free(struct peer *p); /* and its place is empty */
void peer_give_up(struct peer *p, const char *why); /* as if it had closed its connection; p is freed */
void peer_greeted(struct peer *p); /* its HELLO was taken */
/* A frame with a text or none; what fails is noticed by the connection. */
void peer_send(struct peer *p, enum frame_type type, unsigned flags, const char *text);
void peer_dismiss(struct peer *p, const struct err *failure /* or NULL */);
size_t peer_gradient_bytes(const struct server *s);

/* params.c: as `send` */
int peer_send_params(struct peer *p, uint64_t version, uint64_t seq, bool again);

/* roster.c */
int roster_hello(struct peer *p, const unsigned char *payload, size_t n, struct err *e);
int roster_unite(const struct server *s, struct shape *shape,
                 struct err *e);                   /* of those at their places */
int roster_union(struct server *s, struct err *e); /* the run's shape */
uint64_t roster_ready(const struct server *s);     /* places that are filled */
bool roster_complete(const struct server *s);      /* all are that have to be */
int roster_welcome(struct peer *p, struct err *e);
int roster_join(struct peer *p, double now, struct err *e);
void roster_admit(struct peer *p, uint64_t rank); /* during the run: both at once */
void roster_fill(struct server *s);               /* empty places by spares */
void roster_fill_all(struct server *s);           /* those, too, that workers were still to come to */

/* snapshot.c */
int snapshot_open(struct server *s, struct err *e);
void snapshot_updated(struct server *s, double now);
void snapshot_resumed(struct server *s, double now); /* the run goes on at this time */
void snapshot_last(struct server *s); /* and the final model */

/* meter.c: the line on a terminal */
void meter_show(const struct server *s);

#endif
