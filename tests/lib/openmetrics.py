"""Reads a page of metrics strictly: python3 openmetrics.py [--openmetrics] < PAGE

Fails with the line that breaks the rules of the format: HELP and TYPE before samples, families together and once,
names and labels well formed, counters that end in _total and never below 0, histograms whose buckets rise, end at +Inf
and agree with _count, no sample twice, and # EOF last in OpenMetrics alone. Prints a line a sample: name{labels} value."""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (NaN|[+-]Inf|-?[0-9.]+(?:e[+-]?[0-9]+)?)")
TYPES = {"counter", "gauge", "histogram", "info"}


def endings(kind, openmetrics):
    if kind == "histogram":
        return ["_bucket", "_sum", "_count"]
    if not openmetrics:
        return [""]
    return [{"counter": "_total", "info": "_info"}.get(kind, "")]


def check_histogram(name, samples):
    buckets = [(float(dict(l)["le"]), v) for n, l, v in samples if n == name + "_bucket"]
    single = {n: v for n, _, v in samples}
    assert buckets and buckets[-1][0] == float("inf"), "no +Inf bucket"
    assert buckets == sorted(buckets), "buckets do not rise"
    assert buckets[-1][1] == single[name + "_count"], "+Inf is not the count"
    assert (single[name + "_sum"] == 0) >= (buckets[-1][1] == 0), "a sum of nothing"


def check_family(name, kind, samples, openmetrics):
    assert samples, f"{name}: no samples"
    if kind == "counter":
        assert openmetrics or name.endswith("_total"), f"{name}: a counter without _total"
        assert all(v >= 0 for _, _, v in samples), f"{name}: below 0"
    elif not openmetrics:
        assert not name.endswith("_total"), f"{name}: {kind} with _total"
    if kind == "histogram":
        check_histogram(name, samples)


def read(lines, openmetrics):
    families, seen, name, kind, helped = {}, set(), None, None, None
    for line in lines:
        if line.startswith("# HELP "):
            helped, text = line[7:].split(" ", 1)
            assert re.fullmatch(NAME, helped) and text and helped not in families, line
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name == helped and kind in TYPES and (openmetrics or kind != "info"), line
            families[name] = (kind, [])
        else:
            m = SAMPLE.fullmatch(line)
            assert m, line
            labels = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[2] or "")
            assert name and m[1] in [name + e for e in endings(kind, openmetrics)], line
            assert len(dict(labels)) == len(labels) and (m[1], m[2]) not in seen, line
            seen.add((m[1], m[2]))
            families[name][1].append((m[1], labels, float(m[3])))
            print(line)
    for name, (kind, samples) in families.items():
        check_family(name, kind, samples, openmetrics)


def main():
    openmetrics = "--openmetrics" in sys.argv
    page = sys.stdin.read()
    assert page.endswith("\n"), "no newline at the end"
    lines = page[:-1].split("\n")
    if openmetrics:
        assert lines.pop() == "# EOF", "no # EOF at the end"
    assert not any(l.startswith("# EOF") for l in lines), "# EOF within"
    read(lines, openmetrics)


main()
