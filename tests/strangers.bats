#!/usr/bin/env bats
# What connects to dsgd-ps, or is started by it, and is no worker of this run.

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

end_run() {
    tell w0 grad 0 0 1
    hears w0 bye
    hang_up w0
    wait "$server"
}

@test "before its HELLO a connection says nothing else, and has no longer for it than it was told" {
    serve ps dsgd-ps -m logistic -P 1 -J 1 -o model -l "unix:$PWD/sock" --join-timeout 1s
    enter 0
    start 1
    wire beats
    tell beats heartbeat
    hears beats "error 5 HEARTBEAT out of place: HELLO comes first"
    wire long
    tell long header 1 4194305
    hears long "error 5 HELLO of 4194305 bytes"
    wire slow
    tell slow header 1 500
    trickles() { tell slow text x && grep -q "no HELLO came within 1 s" ps.err; }
    eventually trickles
    hang_up beats
    hang_up long
    hang_up slow
    end_run
}

@test "a wrong token is known by the first bytes of a HELLO, however long that says it is" {
    local i
    serve ps dsgd-ps -m softmax -P 1 -J 1 -o model -l tcp:127.0.0.1:0
    wire long "${address%/*}"
    tell long header 1 4194304
    for ((i = 0; i < 8; i++)); do
        tell long text "$(printf '%0512d' 0)"
    done
    hears long 'error 5 the token is not that of this server'
    hang_up long
    seq -f '%g 1:1' 1000 > labels.svm # a HELLO of some 40 KB, which is one
    dsgd-worker -q -c "$address" labels.svm
    wait "$server"
}

@test "who said no HELLO is told nothing, not even that somebody is there" {
    local silent
    serve ps dsgd-ps -m logistic -P 2 -J 1 -o model -l tcp:127.0.0.1:0 --worker-timeout 3s
    local port=${address%/*}
    exec {silent}<> "/dev/tcp/127.0.0.1/${port##*:}"
    wire w0
    tell w0 token "${address##*/}"
    tell w0 hello 0 3 100 -1 +1
    tell w0 beat
    [ "$heard" = ok ]
    run ! read -r -t 0 -u "$silent"
    exec {silent}>&-
    hang_up w0
    kill "$server"
}

@test "who connects and closes without a word is nobody's concern" {
    serve ps dsgd-ps -m logistic -P 1 -J 1 -o model -l "unix:$PWD/sock"
    wire probe
    hang_up probe
    enter 0
    start 1
    end_run
    run ! grep -e connection -e refused ps.err
}

@test "a worker without rows is refused" {
    serve ps dsgd-ps -m logistic -P 1 -J 1 -o model -l "unix:$PWD/sock"
    wire empty
    tell empty hello 0 3 0 -1 +1
    hears empty "error 3 wire:"
    [[ $heard == *"no rows"* ]]
    hang_up empty
    enter 0
    start 1
    end_run
}

@test "control characters in what a worker calls itself, its files or its labels are refused" {
    local esc=$'\x1b[31m'
    serve ps dsgd-ps -m logistic -P 1 -J 1 -o model -l "unix:$PWD/sock"
    wire a
    tell a run "$esc"
    tell a hello 0 3 100 -1 +1
    hears a 'error 3 HELLO: "run": '
    wire c
    tell c run $'\xe2\x80\xae'
    tell c hello 0 3 100 -1 +1
    hears c 'error 3 HELLO: "run": '
    wire b
    tell b hello 0 3 100 "$esc" b
    hears b 'error 3 HELLO: "classes": '
    [[ $heard == *"control characters"* ]]
    hang_up a
    hang_up b
    hang_up c
    enter 0
    start 1
    end_run
    run ! grep -e "HELLO: HELLO" -e "$esc" ps.err
}

@test "what a command writes to its stdout that is not the protocol is shown, with rank and command" {
    local junk="it wrote to its stdout what is not the protocol: 'Welcome to"
    run -5 timeout 20 dsgd-ps -m logistic -J 1 -o model -x 'echo Welcome to the machine'
    assert_output "dsgd-ps: worker 0 ('echo Welcome to the machine'): $junk the machine'"
    run -5 timeout 20 dsgd-ps -m logistic -J 1 -o model -x 'echo Welcome to a long line of text that is no header; exit 3'
    assert_line --partial "dsgd-ps: worker 0 ('echo Welcome to a long line of text that is no header; exit 3'): $junk a long"
    mkfifo never
    run -5 timeout 20 dsgd-ps -m logistic -J 1 -o model --drain-timeout 50ms \
        -x 'echo Welcome to a long line of text that is no header; exec cat never'
    assert_line --partial "): $junk a long"
}

@test "one worker is a worker, two are workers" {
    run -5 dsgd-ps -m logistic -P 1 -J 1 -o model -l "unix:$PWD/sock" --join-timeout 20ms
    assert_line "dsgd-ps: 0 of 1 worker joined within 0.02 s (--join-timeout)"
    run -5 dsgd-ps -q -m logistic -P 2 -J 1 -o model -l "unix:$PWD/sock" --join-timeout 20ms
    assert_line "dsgd-ps: 0 of 2 workers joined within 0.02 s (--join-timeout)"
    run -2 dsgd-ps -m logistic -P 2 -x true -J 1 -o model
    assert_line --partial "1 worker is started (-x) of 2 (-P)"
    run -2 dsgd-ps -m logistic -P 1 -x true -x true -J 1 -o model
    assert_line --partial "2 commands (-x) for 1 worker (-P)"
    run -2 dsgd-ps -m logistic -P 1 -x true -p k-sync:2 -J 1 -o model
    assert_line --partial "K=2 with 1 worker"
    refute_line --partial workers
}

@test "a gradient that is not finite is told with its worker" {
    serve ps dsgd-ps -m logistic -P 2 -p k-batch-async:3 -J 2 -o model -l "unix:$PWD/sock"
    enter 0 1
    start 2
    tell w1 grad 0 0 nan
    hears w1 "error 1 update 1: a gradient of worker 1 is not a finite number; lower the step (-e)"
    hang_up w0
    hang_up w1
    local ended=0
    wait "$server" || ended=$?
    [ "$ended" -eq 1 ]
}

# The usual run, with strangers who knock on and on while it trains, or without.
#   crowded NAME POLICY [OPTION]...
crowded() {
    local name=$1 policy=$2
    shift 2
    awk 'BEGIN { for (; i < 40; i++) printf "%d 1:%g 3:%g\n", i % 2, i / 40, i * i % 7 }' > d.svm
    rm -f ps.ready
    serve ps dsgd-ps -q -m logistic -p "$policy" -P 2 -b 4 -J 100 -e 0.1 -t "$name.trace" -o "$name" "$@"
}

@test "sync among strangers who send garbage ends in the bytes that it ends in alone, async in those of its replay" {
    crowded alone sync -l unix:s
    background one dsgd-worker -q -c unix:s -r 0 d.svm
    dsgd-worker -q -c unix:s -r 1 d.svm
    wait "$server"
    crowded among sync -l tcp:127.0.0.1:0
    background one dsgd-worker -q -c "$address" -d const:5ms -r 0 d.svm
    background crowd "$top_builddir/tests/strangers" "${address%/*}" 100 "$server"
    local crowd=$!
    dsgd-worker -q -c "$address" -r 1 d.svm
    wait "$server"
    wait "$crowd"
    [ "$(cat crowd.out)" -ge 100 ]
    cmp <(dsgd-eval -m alone --export csv) <(dsgd-eval -m among --export csv)
    crowded loose async -l tcp:127.0.0.1:0
    background one dsgd-worker -q -c "$address" -d const:5ms -r 0 d.svm
    background crowd "$top_builddir/tests/strangers" "${address%/*}" 100 "$server"
    crowd=$!
    dsgd-worker -q -c "$address" -d const:3ms -r 1 d.svm
    wait "$server"
    wait "$crowd"
    dsgd-sim -q --replay loose.trace -o replayed d.svm
    cmp <(dsgd-eval -m loose --export csv) <(dsgd-eval -m replayed --export csv)
}

@test "who sends garbage on and on is counted, and fills no log" {
    serve ps dsgd-ps -m logistic -P 1 -J 1 -o model -l tcp:127.0.0.1:0
    run -0 "$top_builddir/tests/strangers" "${address%/*}" 50
    assert_output 50
    enter 0
    start 1
    end_run
    [ "$(grep -c 'was refused:' ps.err)" -eq 20 ]
    grep -qx 'dsgd-ps: further connections that are refused are counted, and told with -v alone' ps.err
    grep -qE '^dsgd-ps: [0-9]+ connections were refused$' ps.err
}

@test "of connections that say nothing the oldest goes when there are too many, and a worker still gets in" {
    local i fd fds=() begun=$SECONDS
    serve ps dsgd-ps -v -m logistic -P 1 -J 1 -o model -l tcp:127.0.0.1:0
    local port=${address%/*}
    for ((i = 0; i < 70; i++)); do
        exec {fd}<> "/dev/tcp/127.0.0.1/${port##*:}"
        fds+=("$fd")
    done
    enter 0
    start 1
    [ "$(grep -c 'more than 64 connections that say nothing' ps.err)" -ge 6 ]
    # The last still waits, unless this took so long that its time is over. An end is something to read, too.
    ((SECONDS - begun >= 9)) || run ! read -r -t 0 -u "${fds[69]}"
    run -0 timeout 10 cat <&"${fds[0]}"
    read -r -t 0 -u "${fds[0]}"
    for fd in "${fds[@]}"; do
        exec {fd}>&-
    done
    end_run
}
