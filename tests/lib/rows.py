#!/usr/bin/env python3
"""Prints the rows of shards, one a line: LABEL INDEX:VALUE ..., indices from 1; with --meta KEY a
member of the metadata, with --weights the weights of the rows. Reads the format as dsgd-files(5) has it, with nothing but the standard library."""
import json
import struct
import sys

CODES = {"F64": "d", "F32": "f", "I64": "q", "I32": "i", "U8": "B"}


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + n])
    meta = header.pop("__metadata__")
    tensors = {}
    for name, t in header.items():
        begin, end = t["data_offsets"]
        code = CODES[t["dtype"]]
        count = (end - begin) // struct.calcsize("<" + code)
        tensors[name] = struct.unpack("<%d%s" % (count, code), data[8 + n + begin : 8 + n + end])
    return meta, tensors


def entries(meta, t, i):
    if "x" in t:
        width = int(meta["features"])
        row = t["x"][i * width : (i + 1) * width]
        return [(j + 1, v) for j, v in enumerate(row)]
    span = range(t["indptr"][i], t["indptr"][i + 1])
    return [(t["indices"][k] + 1, t["values"][k]) for k in span]


def name(meta, label):
    classes = json.loads(meta["classes"])
    if isinstance(classes, str):
        return "%g" % label
    if classes[0][1] is None:
        return classes[int(label)][0]
    return next(c[0] for c in classes if c[1] == label)


def main():
    paths = sys.argv[1:]
    key = None
    weights = paths[0] == "--weights"
    if weights:
        paths = paths[1:]
    if paths[0] == "--meta":
        key, paths = paths[1], paths[2:]
    for path in paths:
        meta, t = read(path)
        if key is not None:
            print(meta[key])
            continue
        if weights:
            for weight in t.get("weights", [1] * len(t["labels"])):
                print("%.9g" % weight)
            continue
        for i, label in enumerate(t["labels"]):
            print(name(meta, label), *("%d:%.9g" % e for e in entries(meta, t, i)))


if __name__ == "__main__":
    main()
