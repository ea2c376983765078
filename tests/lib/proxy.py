"""Connections that go through us, so that they can be cut, stalled or torn: a socket for each worker.

A proxy runs in a thread of its own. What it is told to do is done to the connections that a worker has at that moment;
the next one that it makes is whole again.
"""

import os
import selectors
import socket
import struct
import threading

PIECE = 1 << 16
HEADER, LENGTH_AT, TYPE_AT, GRAD = 40, 24, 6, 4  # of a frame (dsgd-protocol(7))


class Link:
    """One connection: two sockets, and what the slower side has not taken yet."""

    def __init__(self, near, far):
        self.ends = {near: far, far: near}
        self.waiting = {near: b"", far: b""}
        self.stalled = False
        self.left = None  # bytes until it is torn
        self.near, self.begun, self.repeating = near, b"", False

    def repeated(self, piece):
        """What the worker says next: the first gradient that ends in it twice, when that was ordered."""
        said, out = self.begun + piece, b""
        known = len(self.begun)
        while len(said) >= HEADER:
            end = HEADER + struct.unpack_from("<Q", said, LENGTH_AT)[0]
            if len(said) < end:
                break
            twice = self.repeating and said[TYPE_AT] == GRAD
            self.repeating = self.repeating and not twice
            out += said[:end] * (2 if twice else 1)
            said = said[end:]
        self.begun = said
        return (out + said)[known:]


class Proxy:
    def __init__(self, workers, path_of, server):
        self.server = server
        self.links = {r: set() for r in range(workers)}
        self.selector = selectors.DefaultSelector()
        self.orders, self.lock = [], threading.Lock()
        self.wake, self.woken = os.pipe()
        self.selector.register(self.wake, selectors.EVENT_READ, ("order", None))
        for r in range(workers):
            door = socket.socket(socket.AF_UNIX)
            door.bind(path_of(r))
            door.listen(16)
            self.selector.register(door, selectors.EVENT_READ, ("door", r))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def order(self, what, rank, *args):
        """what: cut, stall, tear (with bytes that still pass), repeat (its next gradient), stop."""
        with self.lock:
            self.orders.append((what, rank, args))
        os.write(self.woken, b"x")

    def stop(self):
        self.order("stop", None)
        self.thread.join()

    def _run(self):
        going = True
        while going:
            for key, events in self.selector.select():
                kind, what = key.data
                if kind == "order":
                    going = self._obey() and going
                elif kind == "door":
                    self._welcome(key.fileobj, what)
                else:
                    self._move(key.fileobj, events, *what)
        for rank in self.links:
            for link in list(self.links[rank]):
                self._close(rank, link)
        for key in list(self.selector.get_map().values()):
            self.selector.unregister(key.fileobj)
            if key.data[0] == "door":
                os.unlink(key.fileobj.getsockname())
                key.fileobj.close()

    def _obey(self):
        os.read(self.wake, 4096)
        with self.lock:
            orders, self.orders = self.orders, []
        for what, rank, args in orders:
            if what == "stop":
                return False
            for link in list(self.links[rank]):
                if what == "cut":
                    self._close(rank, link)
                elif what == "stall":
                    link.stalled = True
                    for end in link.ends:
                        self._watch(end, rank, link)
                elif what == "tear" and not link.stalled:
                    link.left = args[0]
                elif what == "repeat":
                    link.repeating = True
        return True

    def _welcome(self, door, rank):
        near, _ = door.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(self.server)
        except OSError:
            near.close()
            far.close()
            return
        link = Link(near, far)
        for end in link.ends:
            end.setblocking(False)
            self.selector.register(end, selectors.EVENT_READ, ("end", (rank, link)))
        self.links[rank].add(link)

    def _watch(self, end, rank, link):
        """Reads while there is room on the other side, writes while something waits; nothing when stalled."""
        events = 0
        if not link.stalled and not link.waiting[link.ends[end]]:
            events |= selectors.EVENT_READ
        if not link.stalled and link.waiting[end]:
            events |= selectors.EVENT_WRITE
        known = end in self.selector.get_map()
        if events and known:
            self.selector.modify(end, events, ("end", (rank, link)))
        elif events:
            self.selector.register(end, events, ("end", (rank, link)))
        elif known:
            self.selector.unregister(end)

    def _move(self, end, events, rank, link):
        other = link.ends[end]
        if link not in self.links[rank] or link.stalled:
            return
        try:
            if events & selectors.EVENT_WRITE:
                self._give(link, end)
            whole = not events & selectors.EVENT_READ or self._take(link, end, other)
        except BlockingIOError:
            whole = True
        except OSError:
            whole = False
        if not whole:
            self._close(rank, link)
            return
        self._watch(end, rank, link)
        self._watch(other, rank, link)

    def _give(self, link, end):
        if link.waiting[end]:
            link.waiting[end] = link.waiting[end][end.send(link.waiting[end]):]

    def _take(self, link, end, other):
        """False: the connection is over, or torn."""
        piece = end.recv(PIECE)
        over = not piece
        if end is link.near:
            piece = link.repeated(piece)
        if link.left is not None:
            piece, link.left = piece[: link.left], link.left - len(piece)
            over = over or link.left <= 0
        link.waiting[other] += piece
        self._give(link, other)
        return not over

    def _close(self, rank, link):
        self.links[rank].discard(link)
        for end in link.ends:
            if end in self.selector.get_map():
                self.selector.unregister(end)
            end.close()
