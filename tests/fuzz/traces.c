/* Traces: any bytes as what dsgd-trace, dsgd-plan and a replay read. */
#define _GNU_SOURCE 1
#include <stdio.h>

#include "base/trace.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct trace_reader t = { 0 };
    struct trace_event event;
    struct err e = { 0 };
    FILE *f = n == 0 ? NULL : fmemopen((void *)data, n, "r");
    if (f == NULL)
        return 0;
    if (trace_start_file(&t, f, "trace", &e) == 0) {
        double seconds;
        bool censored;
        while (trace_next(&t, &event, &e) > 0)
            if (trace_duration(&event, &seconds, &censored))
                promise(seconds >= 0);
        trace_end(&t);
    }
    fclose(f);
    return 0;
}
