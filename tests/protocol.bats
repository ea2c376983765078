#!/usr/bin/env bats
# dsgd-protocol(7) is enough to write another worker from: tests/lib/client.py is one.

load lib/common

setup() {
    command -v python3 > /dev/null || skip 'no python3'
    cd "$BATS_TEST_TMPDIR"
    awk 'BEGIN {
        for (i = 0; i < 203; i++) {
            a = (i * 37 % 101) / 100 - 0.5
            b = (i * 53 % 97) / 96 - 0.5
            label = a + 2 * b + 0.03 * (i % 7) > 0 ? 1 : -1
            printf "%d 1:%.6f 2:%.6f 3:%d\n", label, a, b, i % 3
        }
    }' > rows
    client="python3 $top_srcdir/tests/lib/client.py rows"
}

teardown() {
    leave_nothing
}

# worker, minibatch, rows and loss of each gradient that worker 1 pushed
pushes() {
    awk '$2 == "push" && $3 == 1 { printf "%d %d %.6f\n", $4, $8, $11 }' "$1"
}

# 3 weights and a bias stand at the end
parameters() {
    tail -c 16 "$1" | od -An -tf4 | awk '{ printf "%.5f %.5f %.5f %.5f\n", $1, $2, $3, $4 }'
}

@test "a worker written from the manual computes the minibatches that dsgd-worker does" {
    dsgd-ps -q -m logistic -e 0.5 -b 10 -E 3 -s 7 -o ours -t ours.trace \
        -x 'dsgd-worker -q rows' -x 'dsgd-worker -q rows'
    dsgd-ps -q -m logistic -e 0.5 -b 10 -E 3 -s 7 -o theirs -t theirs.trace \
        -x 'dsgd-worker -q rows' -x "$client"
    [ "$(pushes ours.trace | wc -l)" -eq 63 ]
    diff <(pushes ours.trace) <(pushes theirs.trace)
    diff <(parameters ours) <(parameters theirs)
}

@test "a worker written from the manual bears that its work becomes void" {
    dsgd-ps -q -m logistic -e 0.5 -b 10 -J 50 -p k-sync:1 -o model -t trace \
        -x 'dsgd-worker -q rows' -x "$client"
    run -0 dsgd-trace summary trace
    awk -F '\t' '$1 == 1 && $2 == 50 && $3 + $4 + $5 + $7 == 50 { found = 1 } END { exit !found }' \
        <<< "$output"
}
