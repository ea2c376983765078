/* Which worker this process is: from the command line, or from what started it. */
#include "run/worker/rank.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/hello.h"

/* What schedulers set, the one that starts the process itself before those around it. */
static const char *const schedulers[] = {
    "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "JOB_COMPLETION_INDEX",
};

static const char *setting(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

static int parse(int64_t *rank, const char *text, uint64_t base, const char *where, struct err *e)
{
    uint64_t v;
    if (num_whole(text, &v, e) < 0)
        return err_ctx(e, "%s '%s'", where, text);
    if (v < base)
        return err_set(e, ERR_USAGE, "%s '%s': less than --rank-base %" PRIu64, where, text, base);
    if (v - base >= UINT32_MAX)
        return err_set(e, ERR_USAGE, "%s '%s': out of range", where, text);
    *rank = (int64_t)(v - base);
    return 0;
}

static int find(int64_t *rank, const char *given, uint64_t base, struct err *e)
{
    if (given != NULL)
        return parse(rank, given, 0, "--rank", e);
    const char *text = setting("DSGD_RANK");
    if (text != NULL)
        return parse(rank, text, 0, "$DSGD_RANK", e);
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        char where[64];
        text = setting(schedulers[i]);
        snprintf(where, sizeof where, "$%s", schedulers[i]);
        if (text != NULL)
            return parse(rank, text, base, where, e);
    }
    *rank = RANK_ANY;
    return 0;
}

int rank_find(int64_t *rank, const char *given, uint64_t base, struct err *e)
{
    if (find(rank, given, base, e) == 0)
        return 0;
    struct err why = *e;
    return err_set(e, why.kind, "%.900s (see dsgd-worker --help)", why.text);
}

static size_t count(const char *text)
{
    size_t n = 0;
    for (text = strstr(text, "%r"); text != NULL; text = strstr(text + 2, "%r"))
        n++;
    return n;
}

char *rank_operand(const char *operand, int64_t rank, struct err *e)
{
    size_t n = count(operand);
    char digits[24];
    if (n == 0)
        return mem_text(operand, e);
    if (rank == RANK_ANY) {
        err_set(e, ERR_USAGE, "%s: %%r needs a rank: give -r RANK", operand);
        return NULL;
    }
    size_t width = (size_t)snprintf(digits, sizeof digits, "%" PRId64, rank);
    char *out = mem_new(strlen(operand) + n * width + 1, 1, e);
    for (char *to = out; out != NULL && *operand != '\0';) {
        bool here = strncmp(operand, "%r", 2) == 0;
        memcpy(to, here ? digits : operand, here ? width : 1);
        to += here ? width : 1;
        operand += here ? 2 : 1;
    }
    return out;
}
