"""Test accuracy of scikit-learn's LogisticRegression: reference.py digits|fashion FOLDER.

digits: features divided by 16, C = 1. fashion: pixels divided by 255, C = 1, 100 iterations.
"""
import gzip
import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression


def digits(folder):
    for part in ("train", "test"):
        rows = np.loadtxt(f"{folder}/digits-{part}.csv.gz", delimiter=",", dtype=np.float32)
        yield rows[:, :64] / 16, rows[:, 64]


def fashion(folder):
    for part in ("train", "t10k"):
        with gzip.open(f"{folder}/{part}-images-idx3-ubyte.gz") as f:
            pixels = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 784)
        with gzip.open(f"{folder}/{part}-labels-idx1-ubyte.gz") as f:
            labels = np.frombuffer(f.read(), np.uint8, offset=8)
        yield pixels.astype(np.float32) / 255, labels


warnings.simplefilter("ignore")  # iterations run out; the accuracy has long settled
(x, y), (x_test, y_test) = {"digits": digits, "fashion": fashion}[sys.argv[1]](sys.argv[2])
iterations = {"digits": 1000, "fashion": 100}[sys.argv[1]]
model = LogisticRegression(C=1, max_iter=iterations).fit(x, y)
print(model.score(x_test, y_test))
