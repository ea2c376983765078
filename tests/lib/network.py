#!/usr/bin/env python3
"""Mean loss and fraction of errors of a network on a dense shard: network.py MODEL SHARD.

The networks of dsgd(7) once more, by the book and with nothing but the standard library.
"""
import json
import math
import sys

from rows import read


def plan(spec):
    """Layers (kind, number) of an SPEC without its last."""
    name, _, items = spec.partition(":")
    for item in items.split(","):
        key, _, value = item.rpartition("=")
        if key not in ("input", ""):
            yield key, value
        elif name == "mlp":
            yield "dense", value


def dense(x, weight, bias):
    n = len(x)
    return [b + sum(map(float.__mul__, x, weight[o * n : o * n + n])) for o, b in enumerate(bias)]


def convolution(planes, weight, bias, side):
    """Planes of the same size; zeros stand all around."""
    height, width, before = len(planes[0]), len(planes[0][0]), (side - 1) // 2
    out = []
    for o, b in enumerate(bias):
        plane = [[b] * width for _ in range(height)]
        for c, of in enumerate(planes):
            for i in range(side):
                for j in range(side):
                    w = weight[((o * len(planes) + c) * side + i) * side + j]
                    for y in range(max(0, before - i), min(height, height + before - i)):
                        for x in range(max(0, before - j), min(width, width + before - j)):
                            plane[y][x] += w * of[y + i - before][x + j - before]
        out.append(plane)
    return out


def pool(planes, side):
    return [
        [
            [
                max(of[y * side + i][x * side + j] for i in range(side) for j in range(side))
                for x in range(len(of[0]) // side)
            ]
            for y in range(len(of) // side)
        ]
        for of in planes
    ]


def flat(x):
    return [v for plane in x for row in plane for v in row] if isinstance(x[0], list) else x


def scores(layers, parts, x):
    parts = iter(parts)
    for kind, value in layers:
        if kind == "dense":
            x = [max(0.0, v) for v in dense(flat(x), next(parts), next(parts))]
        elif kind == "pool":
            x = pool(x, int(value))
        else:
            side = int(value.split("x")[1])
            x = convolution(x, next(parts), next(parts), side)
            x = [[[max(0.0, v) for v in row] for row in plane] for plane in x]
    return dense(flat(x), next(parts), next(parts))


def image(x, shape):
    height, width, channels = shape
    at = iter(x)
    return [[[next(at) for _ in range(width)] for _ in range(height)] for _ in range(channels)]


def shape_of(spec, meta):
    for item in spec.partition(":")[2].split(","):
        if item.startswith("input="):
            return [int(n) for n in item[6:].split("x")]
    return json.loads(meta["data"])["shape"]


def main():
    model, tensors = read(sys.argv[1])
    meta, data = read(sys.argv[2])
    spec, features = model["model"], int(meta["features"])
    classes = [c[1] for c in json.loads(model["classes"])]
    layers, parts = list(plan(spec)), list(tensors.values())
    scale = float(meta.get("scale", 1))
    loss = wrong = 0
    for i, label in enumerate(data["labels"]):
        x = [v * scale for v in data["x"][i * features : (i + 1) * features]]
        if spec.startswith("cnn"):
            x = image(x, shape_of(spec, model))
        s = scores(layers, parts, x)
        top, right = max(s), s[classes.index(label)]
        loss += top + math.log(sum(math.exp(v - top) for v in s)) - right
        wrong += s[classes.index(label)] < top
    print(loss / len(data["labels"]), wrong / len(data["labels"]))


main()
