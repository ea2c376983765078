#!/usr/bin/env bats
# dsgd-ps -S: which snapshots go to standard output, when, and what its reader does to the run.

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Shards shard-0 .. of 5 rows of one feature, N of them.
shards() {
    dsgd-shard -q -n "${1-1}" "$(data 16-uneven-shards-end/a.svm)"
}

iterations() {
    dsgd-eval "$(data 16-uneven-shards-end/a.svm)" < "$1" | awk 'NR > 1 { printf "%s ", $1 }'
}

# The server has been left by its workers and still waits: its training is over.
stopped() {
    grep -qs 'stop	' run.trace
}

@test "without -S nothing goes to stdout but, without -o, the final model" {
    shards
    run -0 --separate-stderr dsgd-ps -m logistic -J 3 -x 'dsgd-worker shard-0' -o model
    assert_output ""
    dsgd-ps -q -m logistic -J 3 -x 'dsgd-worker shard-0' > stream
    cmp <(tail -c 8 model) <(tail -c 8 stream)
    run -0 iterations stream
    assert_output "3 "
}

@test "snapshots: iteration 0, the multiples, and the final one once" {
    shards
    dsgd-ps -q -m logistic -J 25 -S 10 --lossless -x 'dsgd-worker shard-0' > stream
    run -0 iterations stream
    assert_output "0 10 20 25 "
    dsgd-ps -q -m logistic -J 20 -S 10 --lossless -x 'dsgd-worker shard-0' > stream
    run -0 iterations stream
    assert_output "0 10 20 "
}

@test "snapshots by time: the first update at or after each multiple" {
    shards
    dsgd-ps -q -m logistic -J 30 -S 50ms -t run.trace -x 'dsgd-worker -d const:10ms shard-0' |
        dsgd-eval "$(data 16-uneven-shards-end/a.svm)" > curve
    awk -F '\t' '$2 == "update" { print $5, $1 }' run.trace | awk '
        BEGIN { next_one = 0.05; print 0 }
        $2 >= next_one { print $1; last = $1; next_one = (int($2 / 0.05) + 1) * 0.05 }
        END { if ($1 != last) print $1 }' > due
    run -0 diff <(awk 'NR > 1 { print $1 }' curve) due
}

@test "a slow reader never slows training: snapshots are replaced, first and last arrive" {
    shards
    mkfifo pipe
    dsgd-shard -q --features 50000 -o wide "$(data 16-uneven-shards-end/a.svm)"
    dsgd-ps -m logistic -J 50 -S 1 -t run.trace -x 'dsgd-worker wide' > pipe 2> err 3>&- &
    exec 8< pipe
    eventually stopped
    run -0 iterations /dev/fd/8
    exec 8<&-
    wait $!
    assert_output "0 50 "
    run -0 grep "snapshots were skipped" err
    assert_output --partial "dsgd-ps: 49 snapshots"
}

@test "--lossless waits for a slow reader" {
    shards
    mkfifo pipe
    dsgd-shard -q --features 50000 -o wide "$(data 16-uneven-shards-end/a.svm)"
    dsgd-ps -m logistic -J 8 -S 1 --lossless -t run.trace --worker-timeout 600ms -x 'dsgd-worker wide' > pipe 2> err 3>&- &
    exec 8< pipe
    # A server of its own waits for longer than a worker here may be silent.
    run -5 dsgd-ps -q -m logistic -P 1 -J 1 -o other -l "unix:$PWD/sock" --join-timeout 900ms
    run ! stopped
    run -0 iterations /dev/fd/8
    exec 8<&-
    wait $!
    assert_output "0 1 2 3 4 5 6 7 8 "
    run ! grep -e skipped -e lost err
}

@test "a closed stdout ends dsgd-ps as it ends cat, and its workers with it" {
    shards
    dsgd-shard -q --features 50000 -o wide "$(data 16-uneven-shards-end/a.svm)"
    run -0 bash -c "trap - PIPE; dsgd-ps -q -m logistic -J 1000000 -S 1 -x 'dsgd-worker wide' | head -c 100 > /dev/null; exit \$((PIPESTATUS[0] - 141))"
    assert_output ""
}

@test "with -o a closed stdout is told once and the run goes on" {
    shards
    run -0 bash -c "dsgd-ps -m logistic -J 300 -S 1 -o model -x 'dsgd-worker -d const:1ms shard-0' 2>&1 > >(head -c 100 > /dev/null) | grep -v -e worker -e '^[0-9a]' -e ' updates in '"
    assert_output "dsgd-ps: <stdout>: Broken pipe: no more snapshots"
    run -0 dsgd-eval -m model shard-0
    assert_output --partial "300"
}

@test "a stdout that is full ends the run with status 4" {
    shards
    run -4 bash -c "dsgd-ps -q -m logistic -J 1000000 -S 1 -x 'dsgd-worker shard-0' > /dev/full"
    assert_output "dsgd-ps: <stdout>: No space left on device"
}
