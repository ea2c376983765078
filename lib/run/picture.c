/* The model of a run as it is now, as a record: what snapshots and the final model are. */
#include "run/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/record.h"

/* Which tensors are parameters, where only their file says so: a checkpoint has others beside them. */
static int set_tensors(json_t *meta, const struct layout *l, struct err *e)
{
    json_t *all = layout_json(l);
    char *text = all == NULL ? NULL : json_dumps(all, JSON_COMPACT);
    int rc = text == NULL ? err_memory(e) : meta_set(meta, "tensors", e, "%s", text);
    free(text);
    json_decref(all);
    return rc;
}

/* How the data were read as JSON text, loss as a number or NA: what is good to know of a model. */
static int set_extras(json_t *meta, const struct train_conf *conf, const struct shape *shape,
                      const struct aggregate *a, struct err *e)
{
    char loss[NUM_TEXT], l2[NUM_TEXT];
    char *data = json_dumps(shape->data, JSON_COMPACT);
    if (data == NULL)
        return err_memory(e);
    int rc = meta_set(meta, "loss", e, "%s", num_print_double(loss, aggregate_loss(a)));
    if (rc == 0)
        rc = meta_set(meta, "policy", e, "%s", conf->policy.text);
    if (rc == 0)
        rc = meta_set(meta, "l2", e, "%s", num_print_double(l2, conf->l2));
    if (rc == 0)
        rc = meta_set(meta, "seed", e, "%ju", (uintmax_t)conf->seed);
    if (rc == 0)
        rc = meta_set(meta, "data", e, "%s", data);
    if (rc == 0)
        rc = meta_set(meta, "version", e, "%s", PACKAGE_VERSION);
    if (rc == 0 && model_told(&conf->model))
        rc = set_tensors(meta, &shape->layout, e);
    free(data);
    return rc;
}

json_t *picture_meta(const struct train_conf *conf, const struct shape *shape,
                     const struct aggregate *a, double now, struct err *e)
{
    json_t *meta = json_object();
    if (meta == NULL) {
        err_memory(e);
        return NULL;
    }
    if (model_meta(meta, &conf->model, &shape->dims, &shape->classes, aggregate_iteration(a), now,
                   e) == 0 &&
        set_extras(meta, conf, shape, a, e) == 0)
        return meta;
    json_decref(meta);
    return NULL;
}

unsigned char *picture(const struct train_conf *conf, const struct shape *shape,
                       const struct aggregate *a, double now, size_t *n, struct err *e)
{
    struct tensor tensors[LAYOUT_PARTS];
    const float *w = aggregate_w(a);
    size_t parts = model_tensors(&shape->layout, w, tensors), length;
    json_t *meta = picture_meta(conf, shape, a, now, e);
    if (meta == NULL)
        return NULL;
    unsigned char *header = record_header(tensors, parts, meta, &length, n, e);
    json_decref(meta);
    if (header == NULL)
        return NULL;
    unsigned char *bytes = realloc(header, *n);
    if (bytes == NULL) {
        free(header);
        err_memory(e);
        return NULL;
    }
    memcpy(bytes + length, w,
           shape->layout.size * sizeof *w); /* its parts follow each other in w */
    return bytes;
}
