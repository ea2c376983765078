"""Sparse text with planted weights: planted.py ROWS FILE [ROWS FILE]... 30 of 100,000 features a row, some of them in many
rows and most in few; 1500 decide; a twentieth of the labels is turned over."""
import sys

import numpy as np

FEATURES = 100000
draw = np.random.default_rng(43)
place = draw.permutation(FEATURES)
weight = np.where(np.arange(FEATURES) < 1500, 1, 0.1) * draw.standard_normal(FEATURES)
for rows, name in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(name, "w", encoding="ascii") as out:
        for _ in range(int(rows)):
            many = max(4, int(np.exp(np.log(30.3) - 0.18 + 0.6 * draw.standard_normal()) + 0.5))
            at = np.unique((FEATURES * draw.random(many) ** 3).astype(int))
            value = 0.2 + abs(draw.standard_normal(len(at)))
            value /= np.sqrt(value @ value)
            label = (weight[at] @ value > 0) != (draw.random() < 0.05)
            order = place[at].argsort()
            out.write("+1" if label else "-1")
            out.writelines(f" {i + 1}:{v:.6g}" for i, v in zip(place[at][order], value[order]))
            out.write("\n")
