"""A program for dsgd-worker --external, of the standard library alone, that does what its arguments say.

external.py WORD...

Its loss is half the squared distance of the parameters from ones, so that w - 1 is the gradient, whatever rows it
is asked for. Words, all with the number of requests after which they are due (0: before the first answer):
  die=N  cut=N        exits with status 7 instead of answering, or in the middle of an answer
  once=FILE           only when FILE is not there, which it then makes; before the word that it is about
  hang=N              does not answer
  until=FILE          does not answer first before somebody writes a byte into FILE, a pipe
  text=N  long=N      prints a line for people; a header longer than any
  dtype=N name=N shape=N less=N more=N rows=N zero=N noloss=N seq=N json=N nan=N   answers wrongly
  double=N            answers twice
  noseq               never says which minibatch it answers
  told=FILE           writes a byte into FILE, a pipe, when it has the first request and can be told of a newer one
  quit                gives up what it has when a newer request is there, or at a signal; then says `quit` on stderr,
                      with the name of the signal
  log=FILE            appends the metadata and names of each request, as JSON
  start=SHAPES        writes parameters instead, zeros: name:2x3,name:,...
  show=FILE           prints the tensors of a record instead, a line each: name, shape, values
  say=TEXT            on standard error, with each request
  child               starts a process of its own that waits for a signal
"""

import array
import json
import os
import select
import signal
import struct
import sys

SIZES = {"F32": 4, "F64": 8, "I64": 8, "I32": 4}
words = dict(word.partition("=")[::2] for word in sys.argv[1:])
SIGNALS = signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2
stdin, stdout = 0, 1
woken, wakes = os.pipe()  # by signals: one that comes just before select() ends it, too
served = 0


class Quit(Exception):
    pass


def read_exactly(n, source=0):
    parts = []
    while n > 0:
        part = os.read(source, min(n, 1 << 20))
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def read(source=0):
    length = read_exactly(8, source)
    if length is None:
        return None, None
    header = json.loads(read_exactly(struct.unpack("<Q", length)[0], source))
    meta = header.pop("__metadata__")
    data = read_exactly(max(t["data_offsets"][1] for t in header.values()), source)
    for t in header.values():
        t["data"] = data[slice(*t["data_offsets"])]
    return header, meta


def pack(tensors, meta):
    """tensors: name to (dtype, shape, bytes)."""
    header, end = {"__metadata__": meta}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(t[2] for t in tensors.values())


def write(data):
    while data:
        data = data[os.write(stdout, data):]


def due(word):
    """Its number of requests was answered; with once= for the first time at all."""
    if word not in words or int(words[word]) != served:
        return False
    if "once" in words:
        try:
            os.close(os.open(words["once"], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
    return True


def gradient(header):
    g = {}
    for name, t in header.items():
        if not name.startswith("minibatch."):
            w = array.array("f", t["data"])
            g[name] = ("F32", t["shape"], array.array("f", (v - 1 for v in w)).tobytes())
    loss = sum((v + 0.0) ** 2 for t in g.values() for v in array.array("f", t[2][: 4 << 10])) / 2
    return g, loss


def compute(header):
    if "told" in words and served == 0:
        with open(words["told"], "wb") as pipe:
            pipe.write(b"x")
    if due("hang"):
        select.select([woken, stdin] if "quit" in words else [woken], [], [])
        raise Quit
    if "until" in words and served == 0:
        with open(words["until"], "rb", buffering=0) as pipe:
            pipe.read(1)
    return gradient(header)


def spoil(g, meta):
    first = next(iter(g))
    dtype, shape, data = g[first]
    if due("dtype"):
        g[first] = ("F64", shape[:-1] + [shape[-1] // 2], data)
    if due("name"):
        g["other"] = g.pop(first)
    if due("shape"):
        g[first] = (dtype, [1] + shape, data)
    if due("less"):
        del g[first]
    if due("more"):
        g["more"] = ("F32", [1000000], b"\0" * 4000000)
    if due("rows"):
        meta["rows"] = "1000"
    if due("zero"):
        meta["rows"] = "0"
    if due("noloss"):
        del meta["loss"]
    if due("seq"):
        meta["seq"] = "77"
    if due("nan"):
        meta["loss"] = "nan"


def answer(g, meta):
    spoil(g, meta)
    if "noseq" in words:
        del meta["seq"]
    record = pack(g, meta)
    if due("json"):
        record = struct.pack("<Q", 9) + b"{\"weight\""
    if due("long"):
        record = struct.pack("<Q", 1 << 40) + record
    if due("text"):
        record = b"Epoch 1, loss 0.5\n"
    if due("die"):
        sys.exit(7)
    if due("cut"):
        write(record[: len(record) // 2])
        sys.exit(7)
    write(record * 2 if due("double") else record)


def on_signal(number, _):
    raise Quit(signal.Signals(number).name)


def at_signals(handler):
    for number in SIGNALS:
        signal.signal(number, handler)


def serve(header, meta):
    if "log" in words:
        kept = {n: [t["dtype"], t["shape"], list(struct.unpack("<%dq" % t["shape"][0], t["data"]))
                    if t["dtype"] == "I64" else None] for n, t in header.items()}
        with open(words["log"], "a") as log:
            log.write(json.dumps({"meta": meta, "tensors": kept}) + "\n")
    if "say" in words:
        print(words["say"], file=sys.stderr, flush=True)
    echo = {"seq": meta["seq"]}
    try:
        at_signals(on_signal if "quit" in words else signal.SIG_DFL)
        g, loss = compute(header)
        at_signals(signal.SIG_IGN)
    except Quit as why:
        at_signals(signal.SIG_IGN)
        print("quit", *why.args, file=sys.stderr, flush=True)
        write(pack({}, echo))
        return
    answer(g, {"loss": repr(loss), "rows": meta["rows"], **echo})


def start():
    tensors = {}
    for item in words["start"].split(","):
        name, _, sizes = item.partition(":")
        shape = [int(size) for size in sizes.split("x") if size]
        n = 1
        for size in shape:
            n *= size
        tensors[name] = ("F32", shape, b"\0" * 4 * n)
    sys.stdout.buffer.write(pack(tensors, {}))


def show():
    header, _ = read(os.open(words["show"], os.O_RDONLY))
    for name, t in header.items():
        values = array.array("f", t["data"])
        print(name, "x".join(map(str, t["shape"])) or "-", *("%.6g" % v for v in values[:8]))


def main():
    global served
    if "show" in words:
        show()
        return
    if "start" in words:
        start()
        return
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    if "child" in words and os.fork() == 0:
        signal.pause()
    while True:
        header, meta = read()
        if header is None:
            return
        serve(header, meta)
        served += 1


main()
