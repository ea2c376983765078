/* The first two lines of every trace. */
#ifndef BASE_TRACE_FORMAT_H
#define BASE_TRACE_FORMAT_H

#define TRACE_MAGIC "# dsgd-trace 1"
#define TRACE_HEADER                                                                              \
    "time\tevent\tworker\tseq\tversion\titeration\tstaleness\trows\tcompute\tdelay\tloss\tnote"

#endif
