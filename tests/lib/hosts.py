"""Hosts of their own for the workers of a run, on links that can be cut, refused and slowed by the kernel, or be long.

All of it is in namespaces of the process: Hosts.enter() starts it again in them, and with it they go. A host is a
network namespace; its link is a pair of veth, or for the last two a pair of tun, between which a thread of ours moves
packets, each of which takes as long as it likes. Ours is the other end: the server's.
"""

import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import threading
import time

LONG = 2  # hosts on long links
DELAY = (0.002, 0.02)  # seconds a packet takes there, each way
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
RULES = """
table inet chaos {
    set cut { type ipv4_addr; }
    set refused { type ipv4_addr; }
    set gone { type ipv4_addr . inet_service; }
    chain in {
        type filter hook input priority 0;
        ip saddr @cut drop
        ip saddr . tcp sport @gone drop
        ip saddr @refused meta l4proto tcp reject with tcp reset
    }
    chain out {
        type filter hook output priority 0
        ip daddr @cut drop
        ip daddr . tcp dport @gone drop
    }
}
"""


def run(*command, **more):
    subprocess.run(command, check=True, **more)


def missing():
    """What stands in the way, in words, or nothing."""
    for program in ("ip", "nft", "ss", "tc", "nsenter", "unshare"):
        if subprocess.run(["sh", "-c", "command -v " + program], capture_output=True).returncode != 0:
            return "no " + program
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "no /dev/net/tun"
    user = [] if os.geteuid() == 0 else ["-Ur"]
    tried = subprocess.run(["unshare", *user, "-nm", "sh", "-c", "mount -t tmpfs none /run && echo '" + RULES +
                            "' | nft -f -"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else "no network namespaces: " + tried.stderr.strip().split("\n")[0]


class Link:
    """A long one: packets between two tun."""

    def __init__(self, near, far, chance):
        self.ends = {near: far, far: near}
        self.random, self.waiting, self.going = chance, [], True
        self.thread = threading.Thread(target=self._move, daemon=True)
        self.thread.start()

    def _move(self):
        number = 0
        while self.going:
            left = self.waiting[0][0] - time.monotonic() if self.waiting else 0.2
            for end in select.select(list(self.ends), [], [], max(left, 0))[0]:
                number += 1
                due = time.monotonic() + self.random.uniform(*DELAY)
                heapq.heappush(self.waiting, (due, number, self.ends[end], os.read(end, 4096)))
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, end, packet = heapq.heappop(self.waiting)
                try:
                    os.write(end, packet)
                except OSError:
                    pass  # a link that is down loses it

    def stop(self):
        self.going = False
        self.thread.join()
        for end in self.ends:
            os.close(end)


def tun(name):
    end = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return end


class Hosts:
    """Of one run among several in the process: `number` tells their addresses apart."""

    @staticmethod
    def enter():
        """Starts the program again in namespaces of its own, unless it is there already."""
        if "CHAOS_HOSTS" not in os.environ:
            why = missing()
            if why:
                print(why)
                sys.exit(77)
            os.environ["CHAOS_HOSTS"] = "1"
            user = [] if os.geteuid() == 0 else ["-Ur"]
            os.execvp("unshare", ["unshare", *user, "--net", "--mount", sys.executable, *sys.argv])
        run("mount", "-t", "tmpfs", "none", "/run")
        os.mkdir("/run/netns")
        run("ip", "link", "set", "lo", "up")
        run("nft", "-f", "-", input=RULES, text=True)

    def __init__(self, number, hosts, seed):
        self.number, self.port, self.busy, self.links = number, 7000 + number, set(), []
        for r in range(hosts):
            self._make(r, random.Random(seed + r) if r >= hosts - LONG else None)

    def _name(self, r):
        return "h%dx%d" % (self.number, r)

    def _end(self, r, ours):
        return "10.%d.%d.%d" % (self.number, r, 1 if ours else 2)

    def _make(self, r, chance):
        name = self._name(r)
        run("ip", "netns", "add", name)
        if chance is None:
            run("ip", "link", "add", name, "type", "veth", "peer", "name", "e0", "netns", name)
        else:
            self.links.append(Link(tun(name), tun(name + "f"), chance))
            run("ip", "link", "set", name + "f", "netns", name)
            run("ip", "-n", name, "link", "set", name + "f", "name", "e0")
        for where, device, ours in ([], name, True), (["-n", name], "e0", False):
            run("ip", *where, "addr", "add", self._end(r, ours), "peer", self._end(r, not ours), "dev", device)
            run("ip", *where, "link", "set", device, "up")

    def on(self, r):
        """In front of a command that is to run there."""
        return ["nsenter", "--net=/run/netns/" + self._name(r)]

    def address(self, r):
        return "tcp:%s:%d" % (self._end(r, True), self.port)

    def _element(self, verb, what, r):
        run("nft", verb, "element", "inet", "chaos", what, "{ %s }" % self._end(r, False))

    def do(self, what, r):
        """cut, refused, slow. False: it is so already."""
        if (what, r) in self.busy:
            return False
        self.busy.add((what, r))
        if what == "slow":
            for where, device in ([], self._name(r)), (["-n", self._name(r)], "e0"):
                run("tc", *where, "qdisc", "add", "dev", device, "root", "tbf", "rate", "256kbit", "burst", "4kb",
                    "latency", "200ms")
        else:
            self._element("add", what, r)
        return True

    def undo(self, what, r):
        if (what, r) not in self.busy:
            return
        self.busy.discard((what, r))
        if what == "slow":
            for where, device in ([], self._name(r)), (["-n", self._name(r)], "e0"):
                run("tc", *where, "qdisc", "del", "dev", device, "root")
        else:
            self._element("delete", what, r)

    def lose(self, r):
        """Its connections of now end without a word, for good. The next ones are whole."""
        known = subprocess.run(["ss", "-tnH", "state", "established", "dst", self._end(r, False)],
                               capture_output=True, text=True, check=True)
        for line in known.stdout.splitlines():
            host, port = line.split()[-1].rsplit(":", 1)
            host = host.strip("[]").replace("::ffff:", "")
            run("nft", "add", "element", "inet", "chaos", "gone", "{ %s . %s }" % (host, port))

    def stop(self):
        for what, r in list(self.busy):
            self.undo(what, r)
        for link in self.links:
            link.stop()
