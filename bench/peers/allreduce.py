"""All-reduce of torch.distributed over gloo on loopback: allreduce.py RANKS FLOATS. Prints CPU us each, of all."""
import sys

import torch
import torch.distributed as dist
from together import cpu, spend, together


def run(rank, meeting, spent, ranks, floats, times):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=ranks)
    x = torch.ones(floats)
    for _ in range(5):
        dist.all_reduce(x)
    x.zero_()
    dist.barrier()
    was = cpu()
    for _ in range(times):
        dist.all_reduce(x)
    spend(spent, cpu() - was)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks, floats = map(int, sys.argv[1:])
    times = 600 // ranks
    print(1e6 * together(run, ranks, ranks, floats, times) / times)
