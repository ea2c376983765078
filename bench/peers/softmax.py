"""Softmax on 784 features and 10 classes, 128 rows a minibatch, by torch: softmax.py local|ddp. One process, or two
that average by DistributedDataParallel over gloo. Prints CPU us a gradient, of all processes."""
import sys

import torch
import torch.distributed as dist
from together import cpu, spend, together

STEPS = 500


def train(net, x, y, steps):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = torch.nn.CrossEntropyLoss()
    for _ in range(steps):
        rows = torch.randint(0, len(x), (128,))
        optimizer.zero_grad()
        loss(net(x[rows]), y[rows]).backward()
        optimizer.step()


def run(rank, meeting, spent, ranks):
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    x, y = torch.rand(10000, 784), torch.randint(0, 10, (10000,))
    net = torch.nn.Linear(784, 10)
    if ranks > 1:
        dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=ranks)
        net = torch.nn.parallel.DistributedDataParallel(net)
    train(net, x, y, 20)
    was = cpu()
    train(net, x, y, STEPS)
    spend(spent, cpu() - was)


if __name__ == "__main__":
    ranks = 2 if sys.argv[1] == "ddp" else 1
    print(1e6 * together(run, ranks, ranks) / STEPS / ranks)
