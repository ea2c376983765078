"""L, c, sigma2, gap and M_G of a softmax model by dense linear algebra: constants.py CSV MODEL LAMBDA.

CSV: rows of features, the label last, no header. Prints NAME VALUE lines. The second derivatives are
written out as a matrix; F* comes from Newton's method on it.
"""
import json
import os
import struct
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

CLASSES = 10


def read_model(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])

    def tensor(name):
        first, last = header[name]["data_offsets"]
        shape = header[name]["shape"]
        return np.frombuffer(data[8 + size + first:8 + size + last], np.float32).reshape(shape).astype(float)

    return np.hstack([tensor("weight"), tensor("bias")[:, None]])


class Objective:
    def __init__(self, x, y, penalty):
        self.x = np.hstack([x, np.ones((len(x), 1))])
        self.y, self.n, self.penalty = y, len(y), penalty
        self.mask = np.ones((CLASSES, self.x.shape[1]))
        self.mask[:, -1] = 0

    def chances(self, w):
        s = self.x @ w.T
        p = np.exp(s - s.max(1, keepdims=True))
        return p / p.sum(1, keepdims=True)

    def value(self, w):
        return -np.log(self.chances(w)[range(self.n), self.y]).mean() + self.penalty / 2 * (w * w * self.mask).sum()

    def gradients(self, w):
        p = self.chances(w)
        p[range(self.n), self.y] -= 1
        return (p[:, :, None] * self.x[:, None, :]).reshape(self.n, -1)

    def gradient(self, w):
        return self.gradients(w).mean(0) + (self.penalty * w * self.mask).ravel()

    def hessian(self, w):
        p, d = self.chances(w), self.x.shape[1]
        h = np.zeros((CLASSES * d, CLASSES * d))
        for a in range(CLASSES):
            for b in range(CLASSES):
                weight = p[:, a] * ((a == b) - p[:, b])
                h[a * d:(a + 1) * d, b * d:(b + 1) * d] = (self.x * weight[:, None]).T @ self.x / self.n
        return h + self.penalty * np.diag(self.mask.ravel())

    def noise(self, w):
        g = self.gradients(w)
        return ((g - g.mean(0)) ** 2).sum() / (self.n - 1)

    def minimum(self, w):
        for _ in range(50):
            g = self.gradient(w)
            step = np.linalg.lstsq(self.hessian(w), g, rcond=1e-12)[0].reshape(w.shape)
            rate = 1.0
            while self.value(w - rate * step) > self.value(w) and rate > 1e-6:
                rate /= 2
            w = w - rate * step
            if g @ step.ravel() < 1e-14:
                break
        return self.value(w)


rows = np.loadtxt(sys.argv[1], delimiter=",")
f = Objective(rows[:, :-1], rows[:, -1].astype(int), float(sys.argv[3]))
model = read_model(sys.argv[2])
start = np.zeros_like(model)
ends = [np.linalg.eigvalsh(f.hessian(w)) for w in (start, model)]
g = f.gradient(start)
sigma2 = f.noise(model)
print("L", max(e[-1] for e in ends))
print("c", min(e[e > 1e-6 * e[-1]][0] for e in ends))
print("sigma2", sigma2)
print("gap", f.value(start) - f.minimum(model))
print("m_g", (f.noise(start) - sigma2) / (g @ g))
