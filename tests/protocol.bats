#!/usr/bin/env bats
# dsgd-protocol(7) is enough to write another worker from: tests/lib/client.py is one.

load lib/common

setup() {
    command -v python3 > /dev/null || skip 'no python3'
    cd "$BATS_TEST_TMPDIR"
    client="python3 $top_srcdir/tests/lib/client.py"
}

teardown() {
    leave_nothing
}

# A shard of 203 rows and 3 features: ./rows
make_rows() {
    awk 'BEGIN {
        for (i = 0; i < 203; i++) {
            a = (i * 37 % 101) / 100 - 0.5
            b = (i * 53 % 97) / 96 - 0.5
            label = a + 2 * b + 0.03 * (i % 7) > 0 ? 1 : -1
            printf "%.6f,%.6f,%d,%d\n", a, b, i % 3, label
        }
    }' | dsgd-shard -q -f csv --no-header --label-column 4 -o rows -
}

# worker, minibatch, rows and loss of each gradient that worker 1 pushed
pushes() {
    awk '$2 == "push" && $3 == 1 { print $4, $8, $11 }' "$1"
}

# 2 x 3 weights and 2 biases stand at the end
parameters() {
    tail -c 32 "$1" | od -An -v -w32 -tf4 | awk '{ for (i = 1; i <= 8; i++) printf "%.5f ", $i }'
}

@test "a worker written from the manual has fewer than 100 lines and no library but Python's" {
    [ "$(wc -l < "$top_srcdir/tests/lib/client.py")" -lt 100 ]
    run -0 grep -E '^ *(import|from) ' "$top_srcdir/tests/lib/client.py"
    assert_output 'import json, math, operator, os, select, socket, struct, sys, time, zlib'
}

@test "a worker written from the manual computes the minibatches that dsgd-worker does" {
    make_rows
    dsgd-ps -q -m softmax -e 0.5 -b 10 -E 3 -s 7 -o ours -t ours.trace \
        -x 'dsgd-worker -q rows' -x 'dsgd-worker -q rows'
    dsgd-ps -q -m softmax -e 0.5 -b 10 -E 3 -s 7 -o theirs -t theirs.trace \
        -x 'dsgd-worker -q rows' -x "$client stdio rows"
    [ "$(pushes ours.trace | wc -l)" -eq 63 ]
    paste -d ' ' <(pushes ours.trace) <(pushes theirs.trace) | awk '
        NF != 6 || $1 != $4 || $2 != $5 || ($3 - $6) ^ 2 > 1e-10 { print; bad = 1 } END { exit bad }'
    diff <(parameters ours) <(parameters theirs)
}

@test "a worker written from the manual bears that its work becomes void" {
    make_rows
    dsgd-ps -q -m softmax -e 0.5 -b 10 -J 50 -p k-sync:1 -o model -t trace \
        -x 'dsgd-worker -q rows' -x "$client stdio rows"
    run -0 dsgd-trace summary trace
    awk -F '\t' '$1 == 1 && $2 == 50 && $3 + $4 + $5 + $7 == 50 { found = 1 } END { exit !found }' \
        <<< "$output"
}

# mean loss and share of errors of a model on digits that it has not seen
score() {
    dsgd-eval -q -m "$1" "$top_srcdir/share/data/digits-test.csv.gz" |
        awk -F '\t' 'NR == 2 { print $3, $4 }'
}

@test "it trains softmax over a Unix socket beside a dsgd-worker as well as two of those do" {
    dsgd-shard -q -n 2 -o shard-%d --no-header --label-column 65 --scale maxabs \
        "$top_srcdir/share/data/digits-train.csv.gz"
    dsgd-ps -q -m softmax -e 1 -E 3 -o ours \
        -x 'dsgd-worker -q shard-0' -x 'dsgd-worker -q shard-1'
    serve ps dsgd-ps -q -P 2 -l unix:ps.sock -m softmax -e 1 -E 3 -o theirs -t trace
    background worker dsgd-worker -q -c unix:ps.sock -r 0 shard-0
    $client "$address" shard-1
    wait "$server"
    run -0 dsgd-trace summary trace
    awk -F '\t' '$1 == 1 && $3 == 3 * 23 { found = 1 } END { exit !found }' <<< "$output"
    paste -d ' ' <(score ours) <(score theirs) | tee /dev/stderr | awk '
        $2 < 0.15 && $4 <= $2 + 0.002 && $3 - $1 < 1e-4 && $1 - $3 < 1e-4 { good = 1 } END { exit !good }'
}
