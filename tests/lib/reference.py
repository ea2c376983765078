"""Test accuracy of scikit-learn's softmax regression: reference.py digits|fashion FOLDER LAMBDA.

digits: features divided by 16. fashion: pixels divided by 255. LAMBDA is that of --l2: the objective is
the mean loss plus half of it times the squared weights.
"""
import gzip
import os
import sys
import warnings

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # spinning threads are slow where cores are few

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
c = 1 / (len(y) * float(sys.argv[3]))
iterations = {"digits": 100, "fashion": 10}[sys.argv[1]]
print(LogisticRegression(C=c, solver="newton-cg", max_iter=iterations).fit(x, y).score(x_test, y_test))
