/* Layouts that come from outside: tensor by tensor, as JSON, or out of a record. */
#include <stdio.h>
#include <string.h>

#include "learn/model.h"

/* Names that the tensors of a request and of a checkpoint have. */
static int check_name(const char *name, struct err *e)
{
    static const char *const families[] = { LAYOUT_RESERVED, "optimizer." };
    static const char *const others[] = { "rows", "policy.places", "policy.contributors", "policy.voided",
                                          "policy.follow" };
    bool taken = false;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        taken = taken || strncmp(name, families[i], strlen(families[i])) == 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        taken = taken || strcmp(name, others[i]) == 0;
    if (!taken)
        return 0;
    return err_set(e, ERR_DATA, "tensor '%s': this name is taken by what stands beside the parameters in requests to "
                   "programs and in checkpoints", name);
}

int layout_add(struct layout *l, const char *name, unsigned dims, const size_t *shape, struct err *e)
{
    struct part *p = &l->parts[l->n];
    size_t size = sizeof(float);
    if (l->n == LAYOUT_PARTS)
        return err_set(e, ERR_DATA, "more than %d tensors", LAYOUT_PARTS);
    if (strlen(name) >= sizeof p->name)
        return err_set(e, ERR_DATA, "tensor '%.200s': name longer than %zu bytes", name, sizeof p->name - 1);
    if (check_name(name, e) < 0)
        return -1;
    *p = (struct part){ .dims = dims, .offset = l->size, .penalised = dims >= 2 };
    snprintf(p->name, sizeof p->name, "%s", name);
    for (unsigned i = 0; i < dims; i++) {
        p->shape[i] = shape[i];
        if (__builtin_mul_overflow(size, shape[i], &size))
            return err_set(e, ERR_DATA, "tensor '%s': shape is too large", name);
    }
    p->size = size / sizeof(float);
    if (p->size > SIZE_MAX / sizeof(float) - l->size)
        return err_set(e, ERR_DATA, "tensor '%s': all together are too large", name);
    l->size += p->size;
    l->n++;
    return 0;
}

/* As the metadata of a model have it: other tensors do not belong to it. */
static int told_layout(struct layout *l, const char *text, struct err *e)
{
    json_t *all = json_loads(text, 0, NULL);
    int rc = all == NULL ? err_set(e, ERR_DATA, "no JSON") : layout_parse(l, all, e);
    json_decref(all);
    return rc < 0 ? err_ctx(e, "metadata 'tensors'") : 0;
}

int layout_of_record(struct layout *l, const struct record *r, struct err *e)
{
    const char *told = meta_text(r->meta, "tensors");
    *l = (struct layout){ 0 };
    if (told != NULL)
        return told_layout(l, told, e);
    for (size_t i = 0; i < r->n; i++) {
        const struct tensor *t = &r->tensors[i];
        if (t->dtype != DTYPE_F32)
            return err_set(e, ERR_DATA, "tensor '%s': %s; parameters must be F32", t->name, dtype_name(t->dtype));
        if (layout_add(l, t->name, t->dims, t->shape, e) < 0)
            return -1;
    }
    return l->size > 0 ? 0 : err_set(e, ERR_DATA, "no parameters: it has no tensor with numbers");
}

json_t *layout_json(const struct layout *l)
{
    json_t *all = json_array();
    for (size_t i = 0; i < l->n; i++) {
        json_t *shape = json_array();
        for (unsigned k = 0; k < l->parts[i].dims; k++)
            json_array_append_new(shape, json_integer((json_int_t)l->parts[i].shape[k]));
        json_array_append_new(all, json_pack("[s, o]", l->parts[i].name, shape));
    }
    return all;
}

static int parse_one(struct layout *l, const json_t *v, struct err *e)
{
    const char *name = json_string_value(json_array_get(v, 0));
    const json_t *shape = json_array_get(v, 1);
    size_t sizes[TENSOR_DIMS], dims = json_array_size(shape);
    bool good = name != NULL && json_is_array(shape) && dims <= TENSOR_DIMS;
    for (size_t i = 0; good && i < dims; i++) {
        const json_t *size = json_array_get(shape, i);
        good = json_is_integer(size) && json_integer_value(size) >= 0;
        sizes[i] = (size_t)json_integer_value(size);
    }
    if (!good)
        return err_set(e, ERR_DATA, "tensor %zu is no [name, shape]", l->n + 1);
    return layout_add(l, name, (unsigned)dims, sizes, e);
}

int layout_parse(struct layout *l, const json_t *v, struct err *e)
{
    *l = (struct layout){ 0 };
    for (size_t i = 0; i < json_array_size(v); i++)
        if (parse_one(l, json_array_get(v, i), e) < 0)
            return -1;
    return l->size > 0 ? 0 : err_set(e, ERR_DATA, "no parameters");
}
