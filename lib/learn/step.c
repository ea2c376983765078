/* The table of step sizes. */
#include "learn/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#define STEP(name) extern const struct step_ops step_##name;
#include "learn/step.def"
#undef STEP

static const struct plug *const rows[] = {
#define STEP(name) &step_##name.plug,
#include "learn/step.def"
#undef STEP
    NULL,
};
const struct table step_table = { .noun = "step", .rows = rows };

int step_parse(void *target, const char *text, struct err *e)
{
    if (text[0] == '\0' || strchr("+-.0123456789", text[0]) == NULL)
        return spec_parse(target, &step_table, text, e);
    double alone; /* 0,5 is no number, where const:0,5 has two values */
    if (num_real(text, &alone, e) < 0)
        return -1;
    char *full = mem_print(e, "const:%s", text);
    if (full == NULL)
        return -1;
    int rc = spec_parse(target, &step_table, full, e);
    free(full);
    return rc;
}
