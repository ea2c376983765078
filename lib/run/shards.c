/* The rows that a worker has, as it tells them. */
#include "run/shards.h"

static bool same(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "rows"), json_object_get(b, "rows")) &&
           json_equal(json_object_get(a, "crc32"), json_object_get(b, "crc32"));
}

bool shards_continue(const json_t *all, size_t at, const json_t *part)
{
    size_t n = json_array_size(part);
    if (n == 0 || n > json_array_size(all) - at)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!same(json_array_get(all, at + i), json_array_get(part, i)))
            return false;
    return true;
}

uint64_t shards_rows(const json_t *shards)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < json_array_size(shards); i++)
        rows += (uint64_t)json_integer_value(json_object_get(json_array_get(shards, i), "rows"));
    return rows;
}

const char *shards_text(const json_t *shard, const char *key)
{
    const char *text = json_string_value(json_object_get(shard, key));
    return text == NULL ? "?" : text;
}

json_t *shards_by_worker(const json_t *shards, uint64_t workers, struct err *e)
{
    json_t *all = json_array();
    for (uint64_t r = 0; r < workers; r++)
        json_array_append_new(all, json_array());
    for (size_t i = 0; i < json_array_size(shards); i++) {
        json_t *one = json_array_get(shards, i), *worker = json_object_get(one, "worker");
        json_int_t r = json_integer_value(worker);
        if (!json_is_integer(worker) || r < 0 ||
            json_array_append(json_array_get(all, (size_t)r), one) < 0) {
            err_set(e, ERR_DATA, "\"shards\": number %zu is of no worker", i);
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

void shards_append(json_t *all, uint64_t worker, const json_t *shards)
{
    for (size_t i = 0; i < json_array_size(shards); i++) {
        json_t *row = json_pack("{s:I}", "worker", (json_int_t)worker);
        json_object_update(row, json_array_get(shards, i));
        json_object_set_new(row, "worker", json_integer((json_int_t)worker));
        json_array_append_new(all, row);
    }
}
