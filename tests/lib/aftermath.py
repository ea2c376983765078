"""What is looked at when a run is over in which workers, connections and the server failed: tests/chaos says what."""

import math
import os
import re
import statistics
import subprocess

here = os.path.dirname(os.path.realpath(__file__))
EXPECTED = re.compile(
    r"is taken|trying to come back|the run is over, or its server is gone|connection (closed|lost)|trying for|"
    r"join-timeout|SIGTERM|which was not its to make|a second gradient before the update"
)


class Broken(Exception):
    pass


class Far(Broken):
    """Nothing is wrong but the loss, which chance makes once in a while."""


class Aftermath:
    """Of a run: folder, server, all (its processes), killed (pids), policy, updates, options(), data, delay."""

    def check_ends(self):
        if self.server.returncode != 0:
            raise Broken("dsgd-ps ended with %d" % self.server.returncode)
        for child in self.all:
            fine = child.returncode == 0 or child.pid in self.killed or (
                child.returncode == 5 and child.name != "ps")
            if not fine:
                raise Broken("%s ended with %d" % (child.name, child.returncode))
        for r in range(len(self.data) + 1):
            for line in open(self.path("w%d.err" % r)) if os.path.exists(self.path("w%d.err" % r)) else []:
                if not EXPECTED.search(line):
                    raise Broken("worker %d said: %s" % (r, line.strip()))

    def output(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Broken("%s: status %d: %s" % (" ".join(command), done.returncode, done.stdout + done.stderr))
        return done.stdout

    def check_account(self):
        self.output("awk", "-f", os.path.join(here, "identities.awk"), "run.trace")
        rows = [line.split("\t") for line in self.output("dsgd-trace", "summary", "run.trace").splitlines()]
        for row in rows[1:]:
            n = [int(cell) for cell in row[1:7]]
            if n[0] != sum(n[1:]):
                raise Broken("worker %s: started is not used + cancelled + late + dropped + unfinished" % row[0])

    def check_replay(self):
        self.output("dsgd-sim", "-q", "--replay", "run.trace", "-o", "again", "-t", "again.trace", *self.data)
        for one, other in ("model", "again"), ("run.trace", "again.trace"):
            self.output("cmp", one, other)

    def losses(self, models):
        """Of records that follow each other in a file."""
        with open(self.path(models)) as stream:
            rows = subprocess.run(["dsgd-eval", "all"], cwd=self.folder, stdin=stream, capture_output=True, text=True)
        return [float(row.split("\t")[2]) for row in rows.stdout.splitlines()[1:]]

    def check_loss(self):
        with open(self.path("calm"), "wb") as all_models:
            for seed in range(1, 11):
                subprocess.run(["dsgd-sim", "-q", *self.options(), "-s", str(seed), "-d",
                                self.delay, *self.data], cwd=self.folder, stdout=all_models, check=True)
        calm = self.losses("calm")
        mean = statistics.mean(calm)
        self.spread = statistics.stdev(calm)
        self.loss = self.losses("model")[0]
        self.away = (self.loss - mean) / self.spread
        if not math.isfinite(self.loss) or abs(self.away) > 3:
            raise Far("loss %.5g, of undisturbed runs %.5g +- %.2g" % (self.loss, mean, self.spread))

    def check_leftovers(self):
        left = [f for f in os.listdir(self.folder)
                if f.startswith(".") or (f[0] == "w" and "." not in f) or f == "ps"]
        if left:
            raise Broken("files are left: %s" % " ".join(sorted(left)))
        for pid in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
            try:
                if os.path.samefile("/proc/%s/cwd" % pid, self.folder):
                    raise Broken("process %s is left" % pid)
            except OSError:
                pass

    checks = ["ends", "account", "replay", "loss", "leftovers"]

    def check(self):
        """All of it, so that each is seen to find something."""
        found = []
        for name in self.checks:
            try:
                getattr(self, "check_" + name)()
            except Broken as why:
                found.append(why)
        if len(found) == 1:
            raise found[0]
        if found:
            raise Broken("; ".join(map(str, found)))

    def check_ranks(self, trace="run.trace"):
        """A worker, known by its name, has the same rank whenever it joins. And somebody came back."""
        ranks, joins = {}, 0
        for line in open(self.path(trace)):
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 12 and cells[1] == "join":
                joins += 1
                if ranks.setdefault(cells[11], cells[2]) != cells[2]:
                    raise Broken("%s was worker %s, and then %s" % (cells[11], ranks[cells[11]], cells[2]))
        if joins <= len(self.data):
            raise Broken("nobody was lost")
