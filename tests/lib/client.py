#!/usr/bin/env python3
"""A worker written from dsgd-protocol(7) alone: logistic loss on libsvm rows, over stdin and stdout."""
import json
import math
import struct
import sys
import zlib

HELLO, WELCOME, PARAMS, GRAD, CANCELLED, HEARTBEAT, BYE, ERROR = range(1, 9)
NO_SEQ = 2**64 - 1
M32 = 2**32 - 1


def philox(key, counter):
    k0, k1 = key
    x = list(counter)
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(b >> 32) ^ x[1] ^ k0, b & M32, (a >> 32) ^ x[3] ^ k1, a & M32]
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return x


def words(seed, stream, rank, index):
    for block in range(2**32):
        yield from philox((seed & M32, seed >> 32), (stream, rank, index, block))


def permuted(n, seed, rank, turn):
    half = max(1, (max(n - 1, 0).bit_length() + 1) // 2)
    draw = words(seed, 2, rank, turn)
    keys = [next(draw) for _ in range(6)]
    mask = 2**half - 1

    def f(x, k):
        product = 0xD2511F53 * (x ^ k)
        rotated = (k << 16 | k >> 16) & M32
        product = 0xCD9E8D57 * ((product >> 32) ^ (product & M32) ^ rotated)
        return (product >> 32) ^ (product & M32)

    def once(i):
        left, right = i >> half, i & mask
        for k in keys:
            left, right = right, left ^ (f(right, k) & mask)
        return left << half | right

    for i in range(n):
        at = once(i)
        while at >= n:
            at = once(at)
        yield at


def send(kind, version=0, seq=NO_SEQ, payload=b''):
    head = struct.pack('<IHBBQQQI', 0x64677364, 1, kind, 0, version, seq, len(payload), 0)
    sys.stdout.buffer.write(head + struct.pack('<I', zlib.crc32(head)) + payload)
    sys.stdout.buffer.flush()


def receive():
    head = sys.stdin.buffer.read(40)
    magic, protocol, kind, flags, version, seq, length, _, crc = struct.unpack('<IHBBQQQII', head)
    assert (magic, protocol, crc) == (0x64677364, 1, zlib.crc32(head[:36]))
    return kind, flags, version, seq, sys.stdin.buffer.read(length)


def read_rows(path):
    rows = []
    for line in open(path):
        label, *entries = line.split()
        pairs = (entry.split(':') for entry in entries)
        rows.append((float(label), {int(i) - 1: float(v) for i, v in pairs}))
    return rows


def classes_of(rows):
    first = {}
    for i, (y, _) in enumerate(rows):
        first.setdefault(y, ['%g' % y, y, 'rows:%d' % (i + 1), i])
    return [first[y] for y in sorted(first)]


def gradient(rows, w, features, bias):
    loss, g = 0, [0.0] * len(w)
    for y, x in rows:
        s = sum(v * w[i] for i, v in x.items()) + (w[features] if bias else 0)
        loss += math.log1p(math.exp(-y * s)) / len(rows)
        slope = -y / (1 + math.exp(y * s)) / len(rows)
        for i, v in x.items():
            g[i] += slope * v
        if bias:
            g[features] += slope
    return loss, g


def main():
    rows = read_rows(sys.argv[1])
    hello = {'program': '0', 'name': 'client', 'rank': None, 'run': '', 'kernel': 'python', 'blas': '',
             'rows': len(rows), 'features': 1 + max(max(x, default=0) for _, x in rows),
             'classes': classes_of(rows), 'data': None, 'shards': None}
    send(HELLO, payload=bytes(32) + json.dumps(hello).encode())
    kind, _, _, _, payload = receive()
    while kind == HEARTBEAT:
        kind, _, _, _, payload = receive()
    assert kind == WELCOME, (kind, payload)
    run = json.loads(payload)
    n, b, w = len(rows), run['batch'], None
    turns = -(-n // b)
    while True:
        kind, flags, version, seq, payload = receive()
        if kind == BYE:
            send(BYE)
            return 0
        if kind == ERROR:
            print(payload.decode(), file=sys.stderr)
            return flags
        if kind == PARAMS:
            if flags & 1:
                w = struct.unpack('<%df' % (len(payload) // 4), payload)
            order = list(permuted(n, int(run['seed']), run['rank'], seq // turns))
            mine = [rows[i] for i in order[seq % turns * b:][:b]]
            loss, g = gradient(mine, w, run['features'], run['bias'])
            work = struct.pack('<dddQ', loss, 0, 0, len(mine))
            send(GRAD, version, seq, work + struct.pack('<%df' % len(g), *g))


sys.exit(main())
