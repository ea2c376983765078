#!/usr/bin/env python3
"""A worker in nothing but Python's library, written from dsgd-protocol(7) and dsgd-files(5) alone:
softmax on the rows of a dense shard whose labels are numbers.     client.py stdio|unix:PATH SHARD"""
import json, math, operator, os, select, socket, struct, sys, time, zlib

HELLO, WELCOME, PARAMS, GRAD, CANCELLED, HEARTBEAT, BYE, ERROR = range(1, 9)
NONE, M32 = 2**64 - 1, 2**32 - 1
address, path = sys.argv[1:]
wire = socket.socket(socket.AF_UNIX)
if address != 'stdio':
    wire.connect(address[len('unix:'):])
source, sink = (0, 1) if address == 'stdio' else [wire.fileno()] * 2

def send(kind, version=0, seq=NONE, payload=b''):
    head = struct.pack('<IHBBQQQI', 0x64677364, 1, kind, 0, version, seq, len(payload), 0)
    data = head + struct.pack('<I', zlib.crc32(head)) + payload
    while data:
        data = data[os.write(sink, data):]

def read(size):
    data = b''
    while len(data) < size:
        data += os.read(source, size - len(data)) or sys.exit(5)
    return data

def ready(seconds):
    return select.select([source], [], [], seconds)[0]

def receive(limit):
    end = time.monotonic() + limit
    while not ready(min(0.25, limit / 6)):
        send(HEARTBEAT) if time.monotonic() < end else sys.exit(5)
    head = read(40)
    magic, protocol, kind, flags, version, seq, size, _, crc = struct.unpack('<IHBBQQQII', head)
    assert (magic, protocol, crc) == (0x64677364, 1, zlib.crc32(head[:36]))
    return kind, flags, version, seq, read(size)

def philox(seed, *x):
    k0, k1 = seed & M32, seed >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = (b >> 32) ^ x[1] ^ k0, b & M32, (a >> 32) ^ x[3] ^ k1, a & M32
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return x

def permuted(i, n, seed, rank, turn):
    half = max(1, ((n - 1).bit_length() + 1) // 2)
    left, right = i >> half, i % 2**half
    for k in (philox(seed, 2, rank, turn, 0) + philox(seed, 2, rank, turn, 1))[:6]:
        product = 0xD2511F53 * (right ^ k)
        product = 0xCD9E8D57 * (product >> 32 ^ product & M32 ^ (k << 16 | k >> 16) & M32)
        left, right = right, left ^ (product >> 32 ^ product & M32) % 2**half
    i = left << half | right
    return i if i < n else permuted(i, n, seed, rank, turn)

def gradient(rows, w, d, classes, bias):
    loss, g, start = 0, [0] * len(w), time.monotonic()
    for y, x in rows:
        s = [sum(map(operator.mul, w[c * d:], x)) + bias * w[c - classes] for c in range(classes)]
        total = sum(math.exp(v - max(s)) for v in s)
        loss += (math.log(total) + max(s) - s[y]) / len(rows)
        for c in range(classes):
            slope = (math.exp(s[c] - max(s)) / total - (c == y)) / len(rows)
            g[c * d:c * d + len(x)] = [a + slope * b for a, b in zip(g[c * d:], x)]
            g[c - classes] += bias * slope
    work = struct.pack('<dddQ', loss, time.monotonic() - start, 0, len(rows))
    return work + struct.pack('<%df' % len(g), *g)

shard = open(path, 'rb').read()
start = 8 + int.from_bytes(shard[:8], 'little')
head = json.loads(shard[8:start])
y, x = ([v for v, in struct.iter_unpack(code, shard[start + at[0]:start + at[1]])] for code, at in
        [('<d', head['labels']['data_offsets']), ('<f', head['x']['data_offsets'])])
meta = {k: json.loads(head['__metadata__'][k]) for k in ('rows', 'features', 'classes', 'data')}
n, width = head['x']['shape']
send(HELLO, payload=b'\0' * 32 + json.dumps(dict(
    meta, program='0', name='client', rank=None, run='', kernel='', blas='', shards=None)).encode())
limit, owed, w = 60, None, []  # owed: version and number of the minibatch in hand
while True:
    if owed and w and not ready(0):
        turn, at = divmod(owed[1], -(-n // run['batch']))
        mine = [permuted(i, n, int(run['seed']), run['rank'], turn) for i in range(n)[at * run['batch']:][:run['batch']]]
        rows = [(place[y[i]], x[i * width:][:width]) for i in mine]
        send(GRAD, *owed, gradient(rows, w, run['features'], len(place), run['bias']))
        owed = None
    kind, flags, version, seq, payload = receive(limit)
    if kind == WELCOME:
        run = json.loads(payload)
        limit, place = run['timeout'], {value: i for i, (_, value, *_) in enumerate(run['classes'])}
    elif kind == PARAMS:
        if owed:
            send(CANCELLED, *owed, b'\0' * 32)
        w, owed = struct.unpack('<%df' % (len(payload) // 4), payload) if flags & 1 else w, (version, seq)
    elif kind == BYE:
        sys.exit(send(BYE, *(owed or (0, NONE)), b'\0' * 32 if owed else b''))
    elif kind == ERROR:
        sys.exit(print(payload.decode(), file=sys.stderr) or flags)
