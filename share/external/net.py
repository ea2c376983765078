"""Modules for torch-module, on rows of 64 features and 10 classes: the digits that dsgd comes with."""

import torch
from torch import nn


class Softmax(nn.Linear):
    """What dsgd calls softmax, from the same start."""

    def __init__(self):
        super().__init__(64, 10)
        for p in self.parameters():
            nn.init.zeros_(p)


class Net(nn.Module):
    """Images of 8 by 8: a convolution, a hidden layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.hidden = nn.Linear(8 * 4 * 4, 32)
        self.out = nn.Linear(32, 10)

    def forward(self, x):
        x = torch.relu(self.conv(x.view(-1, 1, 8, 8)))
        x = nn.functional.max_pool2d(x, 2).flatten(1)
        return self.out(torch.relu(self.hidden(x)))
