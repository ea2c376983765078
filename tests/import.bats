#!/usr/bin/env bats
# dsgd-trace import: other people's logs as traces, and what a replay of their durations takes.

load lib/common.bash

setup() {
    logs=$(data 24-clock-steps-back)
    cd "$BATS_TEST_TMPDIR" || return
}

# The trace of a log, without line 1, which names the file.
events() {
    dsgd-trace import -q "$@" | tail -n +2
}

@test "a log is a trace whose durations are those of the log" {
    dsgd-trace import -q "$logs/good.csv" > good.trace
    run -0 dsgd-trace summary good.trace
    assert_equal "$(cut -f 1,2,9,16 <<< "$output" | tr '\t' ' ')" "worker started compute_mean seconds
0 4 1 8
1 4 2 8
all 8 1.5 8"
    assert_equal "$(dsgd-trace delays good.trace | awk 'NR > 1 && !$2' | wc -l)" 8
    run -0 dsgd-trace fit good.trace
    assert_line --regexp $'^exp\texp:mean=1.5\t'
}

@test "the order of the lines of a log does not matter" {
    events "$logs/good.csv" > sorted
    events "$logs/unsorted.csv" > unsorted
    [ "$(wc -l < sorted)" -eq 20 ]
    diff sorted unsorted
}

@test "simulated with its durations, sync takes the slowest of each step, k-sync:1 the fastest" {
    dsgd-trace import -q "$logs/good.csv" > good.trace
    dsgd-sim --no-model -q -P 2 -p sync -d recorded:good.trace -J 4 -t sync.trace
    assert_equal "$(dsgd-trace summary sync.trace | awk '$1 == "all" { print $16 }')" 8
    dsgd-sim --no-model -q -P 2 -p k-sync:1 -d recorded:good.trace -J 4 -t first.trace
    assert_equal "$(dsgd-trace summary first.trace | awk '$1 == "all" { print $16 }')" 4
}

@test "what ends before it starts is refused by its line, and nothing is written" {
    run -3 --separate-stderr dsgd-trace import "$logs/back.csv"
    assert_output ''
    # shellcheck disable=SC2154 # set by run
    assert_equal "$stderr" "dsgd-trace: $logs/back.csv:6: end 3 is before start 4: -1 s"
}

@test "a worker that does two things at once is refused by its line" {
    run -3 --separate-stderr dsgd-trace import "$logs/overlap.csv"
    assert_output ''
    assert_equal "$stderr" "dsgd-trace: $logs/overlap.csv:4: worker '1' starts at 0.5, but what it does in \
line 2 ends at 1"
}

@test "columns have the names that are given, durations their unit" {
    printf 'n,"the ""machine""",took\r\n2,b,20\r\n1,a,10ms\r\n1,b,30\r\n' > log.csv
    dsgd-trace import -q --worker 'the "machine"' --duration took --unit ms --step n log.csv > log.trace
    diff - <(awk -F '\t' '$2 == "push" || $2 == "join" { print $1, $2, $3, $4, $9, $12 }' log.trace) << 'X'
0.000000000 join 0 NA NA a
0.000000000 join 1 NA NA b
0.010000000 push 0 0 0.01 NA
0.030000000 push 1 0 0.029999999999999999 NA
0.050000000 push 1 1 0.02 NA
X
}

@test "workers are numbered in order of their names, numbers by value, and that is said" {
    printf 'worker;duration\n10;1\n9;2\n' > log.csv
    run -0 --separate-stderr dsgd-trace import log.csv
    assert_equal "$stderr" \
        "dsgd-trace: workers are numbered from 0 in order of their names: '9' is 0, '10' is 1"
    assert_equal "$(awk -F '\t' '$2 == "push" { print $3, $9 }' <<< "$output" | sort)" $'0 2\n1 1'
    printf 'duration\n1\n2\n' | dsgd-trace import - > one.trace
    assert_equal "$(dsgd-trace summary one.trace | tail -n 1 | cut -f 2,9,16)" $'2\t1.5\t3'
}

@test "compressed logs, blank lines and pieces of no length are fine" {
    printf 'worker\tstart\tend\n0\t5\t5\n\n0\t5\t6\n1\t5\t5\n' | gzip > log.tsv.gz
    dsgd-trace import log.tsv.gz > log.trace
    assert_equal "$(dsgd-trace summary log.trace | tail -n 1 | cut -f 2,9,16)" \
        $'3\t0.33333333333333331\t1'
}

@test "import says what is wrong with a log" {
    printf 'a,b\n1,2\n' > log.csv
    run -3 dsgd-trace import log.csv
    assert_output "dsgd-trace: log.csv:1: no column 'duration', nor 'start' and 'end' (--duration, --start, \
--end name them) among the 2: a, b"
    run -3 dsgd-trace import --duration c log.csv
    assert_output "dsgd-trace: log.csv:1: no column 'c' among the 2: a, b"
    printf 'duration\n1\nx\n' > log.csv
    run -3 dsgd-trace import log.csv
    assert_output --partial "log.csv:3: duration 'x': not a duration"
    printf 'duration\n-1\n' > log.csv
    run -3 dsgd-trace import log.csv
    assert_output "dsgd-trace: log.csv:2: duration '-1': a duration cannot be negative"
    printf 'worker,duration\n1,\n' > log.csv
    run -3 dsgd-trace import log.csv
    assert_output "dsgd-trace: log.csv:2: duration '': the value is missing"
    printf 'worker,duration\n1,2,3\n' > log.csv
    run -3 dsgd-trace import log.csv
    assert_output "dsgd-trace: log.csv:2: 3 fields, expected 2"
    printf 'duration\n' > log.csv
    run -3 dsgd-trace import log.csv
    assert_output "dsgd-trace: log.csv: no row in it"
    run -3 dsgd-trace import /dev/null
    run -4 dsgd-trace import missing.csv
    run -2 dsgd-trace import --unit parsec log.csv
    assert_output "dsgd-trace: --unit: 'parsec': known are s, ms, us, ns, m, h"
}

@test "real logs of others are traces" {
    [ -d "${DSGD_DATA-}/traces" ] || skip "no DSGD_DATA"
    local logs=$DSGD_DATA/traces
    dsgd-trace import -q --duration batch_time_norm --unit ms \
        "$logs/alibaba-minibatch/job_1_norm.csv" > run.trace
    assert_equal "$(dsgd-trace summary run.trace | tail -n 1 | cut -f 2)" 3000
    dsgd-trace import -q --duration compute_us --unit us --step step \
        "$logs/bytedance-stragglers/step_compute_SE.csv" > run.trace
    assert_equal "$(dsgd-trace summary run.trace | tail -n 1 | cut -f 2)" 1440
    dsgd-trace import -q --duration batch_time_norm --step time --unit ms \
        "$logs/alibaba-minibatch/job_4_norm.csv.gz" > run.trace
    assert_equal "$(dsgd-trace summary run.trace | tail -n 1 | cut -f 2)" 21829
}
