#!/usr/bin/env bats
# dsgd-ps and its outputs when a run does not begin, cannot write, is waited for or is stopped.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
    dsgd-shard -q "$(data 16-uneven-shards-end/a.svm)"
}

# Whoever started the tests may have had SIGHUP ignored, as nohup does; a shell cannot take that back.
heed_hup=()
if env --default-signal=HUP true 2> /dev/null; then
    heed_hup=(env --default-signal=HUP)
fi

teardown() {
    leave_nothing
}

@test "with -o a stdout that is full is told, the run goes on, its model is written, status 4" {
    run -4 bash -c "dsgd-ps -m logistic -J 20 -S 1 -o model -x 'dsgd-worker -q shard-0' > /dev/full"
    run -0 grep -c "No space left on device: no more snapshots" <<< "$output"
    assert_output 1
    run -4 bash -c "dsgd-ps -q -m logistic -J 20 -S 1 -o model -x 'dsgd-worker -q shard-0' > /dev/full"
    assert_output "dsgd-ps: snapshots are missing: <stdout>: No space left on device"
    run -0 dsgd-eval -m model shard-0
    assert_line --regexp '^20'
}

@test "with -o a stdout that is closed from the start is told once and the run goes on" {
    run -0 bash -c "dsgd-ps -m logistic -J 20 -S 1 -o model -x 'dsgd-worker -q shard-0' >&-"
    run -0 grep -c "<stdout>: is not open for writing: no snapshots" <<< "$output"
    assert_output 1
    [ -f model ]
    run -4 bash -c "dsgd-ps -m logistic -J 20 -S 1 -x 'dsgd-worker -q shard-0' >&-"
    assert_output "dsgd-ps: <stdout>: is not open for writing"
}

@test "a trace is replaced by a run that begins, and by no other" {
    echo old > run.trace
    run -5 dsgd-ps -m logistic -J 1 -o model -t run.trace -x 'exit 3'
    run -5 dsgd-ps -m logistic -J 1 -o model -t new.trace -x 'exit 3'
    [ ! -e new.trace ]
    run -0 cat run.trace
    assert_output old
    run -0 dsgd-ps -q -m logistic -J 1 -o model -t run.trace -x 'dsgd-worker shard-0'
    run -0 head -c 12 run.trace
    assert_output "# dsgd-trace"
}

@test "a reader that has stopped is waited for after the summary, with the limit, until SIGTERM" {
    local ps ended=0
    dsgd-shard -q --features 50000 -o wide "$(data 16-uneven-shards-end/a.svm)"
    mkfifo pipe
    dsgd-ps -m logistic -J 5 -S 1 -x 'dsgd-worker -q wide' > pipe 2> err 3>&- &
    ps=$!
    exec 8< pipe
    eventually grep -q "waiting for the reader of standard output, until .* 600 s" err
    kill -TERM $ps
    wait $ps || ended=$?
    exec 8<&-
    [ "$ended" -eq 143 ]
    run -0 awk '/updates in/ { s = NR } /waiting for/ { w = NR } END { print s < w }' err
    assert_output 1
}

@test "a signal while workers gather is one line, and the end" {
    local signal ended
    for signal in INT TERM HUP; do
        ended=0
        serve "ps$signal" "${heed_hup[@]}" dsgd-ps -m logistic -P 2 -l "unix:$PWD/sock" -J 1 -o model
        enter 0
        kill "-$signal" "$server"
        wait "$server" || ended=$?
        hang_up w0
        [ "$ended" -eq $((128 + $(kill -l $signal))) ]
        run -0 cat "ps$signal.err"
        assert_output --regexp "^dsgd-ps: SIG$signal: stopping before the start, with [01] of 2 workers$"
    done
}

@test "SIGHUP stops a run in order, unless it was ignored from the start" {
    local ps ended=0
    "${heed_hup[@]}" dsgd-ps -q -m logistic -J 1000000 -o model -t run.trace -x 'dsgd-worker -q shard-0' 3>&- &
    ps=$!
    eventually grep -qs $'\tupdate\t' run.trace
    kill -HUP $ps
    wait $ps 2> /dev/null || ended=$?
    [ "$ended" -eq 129 ]
    run -0 grep -c 'stop	.*SIGHUP' run.trace
    bash -c "trap '' HUP; exec dsgd-ps -q -m logistic -J 1000000 -o model -t kept.trace -x 'dsgd-worker -q shard-0'" 3>&- &
    ps=$!
    eventually grep -qs '^# dsgd-trace' kept.trace
    kill -HUP $ps
    kill -TERM $ps
    wait $ps 2> /dev/null || ended=$?
    [ "$ended" -eq 143 ]
    run -0 grep -c 'stop	.*SIGTERM' kept.trace
}
