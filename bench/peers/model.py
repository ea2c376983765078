"""A file to a model by torch, all of it: model.py DATA LABELS VALIDATION VLABELS GOAL. Softmax on gzipped IDX images, 256 rows
a minibatch, step 1, to that loss. Prints the loss that it came to, the share that it gets right, and KB of memory."""
import gzip
import resource
import sys

import numpy as np
import torch


def idx(name, start, *shape):
    return torch.from_numpy(np.frombuffer(gzip.open(name).read(), "u1", offset=start).reshape(*shape).copy())


torch.set_num_threads(1)
torch.manual_seed(1)
names, goal = sys.argv[1:5], float(sys.argv[5])
x, tx = (idx(name, 16, -1, 784).float() / 255 for name in names[::2])
y, ty = (idx(name, 8, -1).long() for name in names[1::2])
net, criterion = torch.nn.Linear(784, 10), torch.nn.CrossEntropyLoss()
torch.nn.init.zeros_(net.weight)
torch.nn.init.zeros_(net.bias)
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
for _ in range(60):
    order = torch.randperm(len(x))
    for i in range(0, len(x), 256):
        rows = order[i:i + 256]
        optimizer.zero_grad(set_to_none=True)
        criterion(net(x[rows]), y[rows]).backward()
        optimizer.step()
    with torch.no_grad():
        loss = criterion(net(x), y).item()
    if loss <= goal:
        break
right = (net(tx).argmax(1) == ty).float().mean().item()
print(loss, right, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
