/* SPECs, numbers, durations and addresses: any text as what a command line holds. The first byte chooses. */
#include <string.h>

#include "base/num.h"
#include "base/plug.h"
#include "base/set.h"
#include "data/dataset.h"
#include "delay/delay.h"
#include "fuzz.h"
#include "learn/model.h"
#include "learn/optimizer.h"
#include "net/address.h"
#include "policy/policy.h"
#include "run/correct.h"
#include "run/server/loss.h"
#include "run/split/split.h"

static const struct table *const tables[] = { &policy_table, &model_table,  &init_table,    &delay_table,
                                              &step_table,   &format_table, &scaling_table, &split_table,
                                              &optimizer_table, &missing_table, &correct_table,
                                              &loss_table };
enum { TABLES = sizeof tables / sizeof tables[0] };

static void as_number(const char *text)
{
    static setter *const setters[] = { set_count, set_whole, set_positive, set_nonneg, set_real, set_part,
                                       set_duration, set_period };
    union {
        double real;
        uint64_t whole;
    } v;
    struct err e = { 0 };
    for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++)
        setters[i](&v, text, &e);
}

/* A path would be read: /dev/stdin waits. */
static int names_file(const char *text)
{
    return strchr(text, '/') != NULL || strcmp(text, "-") == 0 || strstr(text, ":-") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char text[256];
    struct spec s = { 0 };
    struct address a = { 0 };
    struct err e = { 0 };
    if (n == 0 || n > sizeof text)
        return 0;
    memcpy(text, data + 1, n - 1);
    text[n - 1] = 0;
    as_number(text);
    address_parse(&a, text, &e);
    if (names_file(text))
        return 0;
    spec_parse(&s, tables[data[0] % TABLES], text, &e);
    spec_free(&s);
    return 0;
}
