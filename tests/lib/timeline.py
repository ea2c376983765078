"""Checks a timeline against its trace: timeline.py TIMELINE TRACE SUMMARY. Prints what is wrong.

TIMELINE: trace-event JSON; TRACE: what it is of; SUMMARY: dsgd-trace summary of that.
"""
import json
import sys

timeline = json.load(open(sys.argv[1]))
lines = [line.rstrip("\n").split("\t") for line in open(sys.argv[2])][2:]
trace = [line for line in lines if len(line) == 12]
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[3])]
summary = [dict(zip(rows[0], row)) for row in rows[1:]]

events = timeline["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
spans = [e for e in events if e["ph"] == "X"]
end = max([float(line[0]) for line in trace], default=0) * 1e6
live = '"program":"dsgd-ps"' in open(sys.argv[2]).readline().replace(" ", "")  # whose news may be late
failed = False


def expect(holds, what):
    global failed
    if not holds:
        print(what)
        failed = True


def seconds(of):
    return sum(e["dur"] for e in of) / 1e6


def near(got, want, count):
    return abs(got - want) <= 1e-8 * count + 1e-9


for tid in {e["tid"] for e in spans}:
    expect(tid in names, f"track {tid} has no name")
    free = 0
    for e in sorted((e for e in spans if e["tid"] == tid), key=lambda e: (e["ts"], e["dur"])):
        expect(round(e["ts"] * 1000) >= free, f"{names.get(tid)}: {e['name']} at {e['ts']} before {free / 1000}")
        free = round(e["ts"] * 1000) + round(e["dur"] * 1000)
    if live:
        continue
    expect(free <= round(end * 1000), f"{names.get(tid)}: goes on after the end")

updates = [line for line in trace if line[1] == "update"]
drawn = [e for e in spans if e["tid"] == 0]
expect(len(drawn) == len(updates), f"{len(drawn)} updates of {len(updates)}")
for e, line in zip(drawn, updates):
    expect(near((e["ts"] + e["dur"]) / 1e6, float(line[0]), 1), f"update {line[5]} ends at {e['ts'] + e['dur']}")

for row in summary[:-1]:
    worker = int(row["worker"])
    mine = [e for e in spans if e["tid"] == worker + 1]
    ends = [line for line in trace if line[1] in ("push", "late", "drop") and line[2] == row["worker"]]
    if row["compute_mean"] != "NA":
        done = [e for e in mine if e["name"] in ("compute", "delay")]
        want = float(row["compute_mean"]) * len(ends)
        expect(near(seconds(done), want, len(done)), f"worker {worker}: {seconds(done)} s of work, not {want}")
    if row["wait_mean"] != "NA":
        sends = [line for line in trace if line[1] == "send" and line[2] == row["worker"] and line[3] != "NA"]
        waits = seconds(e for e in mine if e["name"] == "wait")
        expect(waits <= float(row["wait_mean"]) * len(sends) + 1e-6, f"worker {worker}: waits {waits} s")
    cut = seconds(e for e in mine if e["name"] == "cancelled")
    told = [float(l[8]) + float(l[9]) for l in trace if l[1] == "cancelled" and l[2] == row["worker"] and l[8] != "NA"]
    expect(near(cut, sum(told), len(told) + 1), f"worker {worker}: {cut} s cancelled, not {sum(told)}")

for name in ("staleness", "loss", "K"):
    shown = [e["args"][name] for e in events if e["ph"] == "C" and e["name"] == name]
    known = len(updates) and (name != "loss" or updates[0][10] != "NA")
    expect(bool(shown) == bool(known), f"counter {name}: {len(shown)} values")
    expect(name == "K" or not known or len(shown) == len(updates), f"counter {name}: {len(shown)} values")

pushes = [int(line[6]) for line in trace if line[1] == "push"]
last = max([i for i, line in enumerate(trace) if line[1] == "update"], default=-1)
used = [int(line[6]) for line in trace[:last + 1] if line[1] == "push"]
counts = [int(line[11][2:]) for line in updates]
total = sum(n * e["args"]["staleness"] for n, e in
            zip(counts, (e for e in events if e["ph"] == "C" and e["name"] == "staleness")))
expect(abs(total - sum(used)) < 1e-6 * (1 + sum(used)), f"staleness adds up to {total}, not {sum(used)}")
sys.exit(failed)
