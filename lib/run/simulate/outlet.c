/* Where a simulated run's models go: snapshots to stdout, whose reader is waited for, and -o. */
#include "run/simulate/outlet.h"

#include <stdlib.h>
#include <unistd.h>

#include "run/picture.h"

int outlet_open(struct outlet *o, const struct train_conf *conf, struct err *e)
{
    o->conf = conf;
    if (train_wants_stdout(conf) && isatty(STDOUT_FILENO))
        return err_set(e, ERR_USAGE,
                       "<stdout>: is a terminal, which cannot show a model; "
                       "name a file (-o FILE) or a reader (| dsgd-eval)");
    if (conf->output != NULL && out_open(&o->file, conf->output, e) < 0)
        return -1;
    return train_wants_stdout(conf) ? out_open(&o->stream, "-", e) : 0;
}

void outlet_close(struct outlet *o)
{
    out_abort(&o->file);
    out_abort(&o->stream);
}

static int put(struct out *to, const struct outlet *o, const struct shape *shape,
               const struct aggregate *a, double now, struct err *e)
{
    size_t n;
    unsigned char *bytes = picture(o->conf, shape, a, now, &n, e);
    int rc = bytes == NULL ? -1 : out_write(to, bytes, n, e);
    free(bytes);
    return rc;
}

static int put_snapshot(struct outlet *o, const struct shape *shape, const struct aggregate *a,
                        double now, struct err *e)
{
    o->last = aggregate_iteration(a);
    o->wrote = true;
    return put(&o->stream, o, shape, a, now, e);
}

int outlet_updated(struct outlet *o, const struct shape *shape, const struct aggregate *a,
                   double now, struct err *e)
{
    if (!train_due(o->conf, aggregate_iteration(a), now, &o->next))
        return 0;
    return put_snapshot(o, shape, a, now, e);
}

int outlet_finish(struct outlet *o, const struct shape *shape, const struct aggregate *a,
                  double now, bool ended, struct err *e)
{
    bool due =
        train_wants_snapshots(o->conf) ? !o->wrote || o->last != aggregate_iteration(a) : ended;
    if (train_wants_stdout(o->conf) &&
        ((due && put_snapshot(o, shape, a, now, e) < 0) || out_commit(&o->stream, e) < 0))
        return -1;
    if (o->conf->output == NULL || !ended)
        return 0;
    return put(&o->file, o, shape, a, now, e) < 0 ? -1 : out_commit(&o->file, e);
}
