"""A network on images of 28 x 28 by torch on one thread: network.py mlp|cnn BATCH STEPS. Prints CPU us a minibatch."""
import sys
import time

import torch

kind, batch, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
nn = torch.nn
torch.set_num_threads(1)
torch.manual_seed(1)
x, y = torch.rand(10000, 784) * (torch.rand(10000, 784) < 0.2), torch.randint(0, 10, (10000,))
if kind == "mlp":
    net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
else:
    net = nn.Sequential(
        nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(784, 10))
optimizer, loss = torch.optim.SGD(net.parameters(), lr=0.05), nn.CrossEntropyLoss()


def train(n):
    for _ in range(n):
        rows = torch.randint(0, len(x), (batch,))
        optimizer.zero_grad(set_to_none=True)
        loss(net(x[rows]), y[rows]).backward()
        optimizer.step()


train(5)
was = time.process_time()
train(steps)
print(1e6 * (time.process_time() - was) / steps)
