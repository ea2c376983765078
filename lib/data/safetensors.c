/* safetensors as input: our own shards, which dataset.c maps or reads whole, so that no reader of rows is needed; and
 * other people's tensors. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/format.h"
#include "data/labelled.h"
#include "data/named.h"
#include "data/shard.h"
#include "data/tensors.h"

static const struct array_kind array_tensor = { .name = "safetensors", .byte = 1 };

struct tensors {
    struct labelled rows;
    struct record record;
    struct named named;
};

bool tensors_foreign(const struct record *r)
{
    const char *format = meta_text(r->meta, "format");
    return format == NULL || strncmp(format, "dsgd-", 5) != 0;
}

/* How the numbers of each dtype lie. */
static const struct element elements[] = {
    [DTYPE_BOOL] = { ELEMENT_UNSIGNED, 1, false }, [DTYPE_U8] = { ELEMENT_UNSIGNED, 1, false },
    [DTYPE_U16] = { ELEMENT_UNSIGNED, 2, false },  [DTYPE_U32] = { ELEMENT_UNSIGNED, 4, false },
    [DTYPE_U64] = { ELEMENT_UNSIGNED, 8, false },  [DTYPE_I8] = { ELEMENT_SIGNED, 1, false },
    [DTYPE_I16] = { ELEMENT_SIGNED, 2, false },    [DTYPE_I32] = { ELEMENT_SIGNED, 4, false },
    [DTYPE_I64] = { ELEMENT_SIGNED, 8, false },    [DTYPE_F16] = { ELEMENT_FLOAT, 2, false },
    [DTYPE_F32] = { ELEMENT_FLOAT, 4, false },     [DTYPE_F64] = { ELEMENT_FLOAT, 8, false },
    [DTYPE_BF16] = { ELEMENT_BRAIN, 2, false },
};

static int take_tensor(struct tensors *t, const struct tensor *from, struct err *e)
{
    enum named_part part = named_find(&t->named, from->name);
    struct array a = { .element = elements[from->dtype], .n_dims = from->dims };
    bool exact = part < NAMED_PARTS;
    if (named_note(&t->named, from->name, e) < 0)
        return -1;
    if (from->dims == 0)
        return 0;
    part = exact ? part : named_guess(&t->named, &a);
    if (part == NAMED_PARTS)
        return 0;
    for (unsigned i = 0; i < from->dims; i++)
        a.dims[i] = from->shape[i];
    char *name = mem_print(e, "%s(%s)", t->named.where, from->name);
    if (name == NULL)
        return -1;
    int status = array_over(&a, &array_tensor, name, from->data, exact ? e : &(struct err){ 0 });
    free(name);
    if (status == 0)
        return named_put(&t->named, part, exact, &a, e);
    array_close(&a);
    return exact ? -1 : 0;
}

static int open_tensors(struct tensors *t, struct builder *b, const struct input *in, struct err *e)
{
    for (size_t i = 0; i < t->record.n; i++)
        if (take_tensor(t, &t->record.tensors[i], e) < 0)
            return -1;
    if (named_finish(&t->named, &t->rows, NULL, e) < 0)
        return -1;
    return labelled_begin(&t->rows, b, in, e);
}

static void safetensors_close(void *self)
{
    struct tensors *t = self;
    named_free(&t->named);
    labelled_free(&t->rows);
    record_free(&t->record);
    free(t);
}

void *tensors_open(struct record *record, const char *name, struct builder *b, const struct input *in, struct err *e)
{
    struct tensors *t = mem_new(1, sizeof *t, e);
    if (t == NULL) {
        record_free(record);
        return NULL;
    }
    t->record = *record;
    named_begin(&t->named, &format_safetensors.plug, name, in);
    if (open_tensors(t, b, in, e) == 0)
        return t;
    safetensors_close(t);
    return NULL;
}

static int safetensors_next(void *self, struct err *e)
{
    return labelled_next(&((struct tensors *)self)->rows, e);
}

static json_t *safetensors_meta(const void *self)
{
    const struct tensors *t = self;
    json_t *meta = labelled_meta(&t->rows), *arrays = named_json(&t->named);
    if (meta != NULL && arrays != NULL)
        json_object_set(meta, "arrays", arrays);
    json_decref(arrays);
    return meta;
}

static int safetensors_bid(const struct source *s)
{
    return shard_bid(s->head, s->head_n) ? BID_MAGIC : BID_NO;
}

const struct format format_safetensors = {
    .plug = { .name = "safetensors",
              .help = "shards as dsgd-shard writes them; or other people's tensors: rows and their labels",
              .params = named_params,
              .conf = sizeof(struct named_conf) },
    .bid = safetensors_bid,
    .next = safetensors_next,
    .close = safetensors_close,
    .meta = safetensors_meta,
};
