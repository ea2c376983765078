"""A network on images of 28 x 28 by torch on one thread: network.py mlp|cnn BATCH STEPS [IMAGES LABELS]. Prints CPU us a
minibatch; of gzipped IDX files also the mean loss of all their rows after those steps, in passes without repetition."""
import gzip
import sys
import time

import numpy as np
import torch

kind, batch, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
nn = torch.nn
torch.set_num_threads(1)
torch.manual_seed(1)
if len(sys.argv) > 4:
    x, y = (torch.from_numpy(np.frombuffer(gzip.open(name).read(), "u1", offset=at).copy())
            for name, at in zip(sys.argv[4:], (16, 8)))
    x, y = x.reshape(-1, 784).float() / 255, y.long()
else:
    x, y = torch.rand(10000, 784) * (torch.rand(10000, 784) < 0.2), torch.randint(0, 10, (10000,))
if kind == "mlp":
    net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
else:
    net = nn.Sequential(
        nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(784, 10))
optimizer, loss = torch.optim.SGD(net.parameters(), lr=0.05), nn.CrossEntropyLoss()


def train(n):
    order, at = torch.randperm(len(x)), 0
    for _ in range(n):
        if at >= len(x):
            order, at = torch.randperm(len(x)), 0
        rows = order[at:at + batch]
        at += batch
        optimizer.zero_grad(set_to_none=True)
        loss(net(x[rows]), y[rows]).backward()
        optimizer.step()


if len(sys.argv) == 4:
    train(5)
was = time.process_time()
train(steps)
print(1e6 * (time.process_time() - was) / steps, end="")
if len(sys.argv) > 4:
    with torch.no_grad():
        print("\t%g" % (sum(loss(net(a), b).item() * len(a) for a, b in zip(x.split(1000), y.split(1000))) / len(x)), end="")
print()
