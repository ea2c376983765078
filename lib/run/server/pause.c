/* A run that stands still for a while: its clock, too. */
#include "base/clock.h"
#include "run/server/state.h"

void server_pause(struct server *s)
{
    s->paused_at = server_now(s);
    s->pause_began = clock_now();
    s->paused = true;
    event_del(s->limit);
    for (struct peer *p = s->peers; p != NULL; p = p->next)
        if (p->state == PEER_WORKING)
            conn_pause(p->conn, true);
    aggregate_note(s->aggregate, s->paused_at, "pause");
}

void server_go_on(struct server *s)
{
    s->start += clock_now() - s->pause_began;
    s->paused = false;
    aggregate_note(s->aggregate, s->paused_at, "go on");
    for (struct peer *p = s->peers; p != NULL; p = p->next)
        if (s->stream == NULL || !stream_full(s->stream))
            conn_pause(p->conn, false);
    struct timeval left = server_interval(s->conf->train.seconds - server_now(s));
    if (s->conf->train.seconds > 0)
        event_add(s->limit, &left);
}
