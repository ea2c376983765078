/* A parameter server on Open MPI, rank 0, or all-reduce: mpi server|allreduce FLOATS UPDATES. Rank 0 prints CPU us an
 * update, of all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static double cpu(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void serve(float *w, float *g, int n, long updates, int workers)
{
    for (long i = 0; i < updates; i++) {
        MPI_Status from;
        MPI_Recv(g, n, MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &from);
        for (int k = 0; k < n; k++)
            w[k] -= 0.01f * g[k];
        MPI_Send(w, n, MPI_FLOAT, from.MPI_SOURCE, i + workers >= updates, MPI_COMM_WORLD); /* tag 1: the end */
    }
}

static void work(float *w, const float *g, int n)
{
    MPI_Status s = { .MPI_TAG = 0 };
    while (s.MPI_TAG == 0) {
        MPI_Send(g, n, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(w, n, MPI_FLOAT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int n = argc == 4 ? atoi(argv[2]) : 0;
    const long updates = argc == 4 ? atol(argv[3]) : 0;
    float *w = calloc((size_t)n + 1, sizeof *w), *g = calloc((size_t)n + 1, sizeof *g);
    if (w == NULL || g == NULL || n == 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    double was = cpu(), all = 0;
    if (strcmp(argv[1], "allreduce") == 0)
        for (long i = 0; i < updates; i++)
            MPI_Allreduce(g, w, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (rank == 0)
        serve(w, g, n, updates, ranks - 1);
    else
        work(w, g, n);
    was = cpu() - was;
    MPI_Reduce(&was, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f\n", 1e6 * all / (double)updates);
    MPI_Finalize();
    return 0;
}
