#!/usr/bin/env bats
# dsgd-ps --control: orders for a run while it goes on, and that its trace still is the run.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
    command -v python3 > /dev/null || skip 'no python3'
    command -v jq > /dev/null || skip 'no jq'
}

teardown() {
    leave_nothing
}

# Gives orders and prints the answers.
#   order ORDER...
order() {
    python3 "$top_srcdir/tests/lib/control.py" control "$@"
}

# Fails unless the answer to an order has this.
#   answers ORDER JQ-FILTER
answers() {
    order "$1" > answer || fail "no answer to $1"
    jq -e "$2" answer > /dev/null || fail "$1: $(cat answer)"
}

# What people changed, as the trace tells it.
told() {
    awk -F '\t' '$2 == "set" { printf "%s%s ", $12, $3 == "NA" ? "" : "@" $3 }' run.trace
}

# Fails unless that is this, once it is written.
tells() {
    is() {
        [ "$(told)" = "$1" ]
    }
    eventually -s 5 is "$1" || fail "the trace tells: $(told)"
}

# The run again, from its trace: the same model and the same trace.
replays() {
    run -0 --separate-stderr dsgd-sim --replay run.trace -t again.trace -o again "$@"
    cmp model again
    cmp run.trace again.trace
}

shards() {
    dsgd-shard -q -n "$1" "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
}

# The server has made so many updates.
updates() {
    order status | jq -e ".updates >= $1" > /dev/null
}

@test "help, status and workers tell of the run; what is no order is refused and the run goes on" {
    ps_for 2 k-async:1 -J 3 --control unix:control
    answers status '.ok and .schema == "dsgd-control/1" and .phase == "gather" and .K == null and .loss == null'
    answers pause '.ok == false and (.error | contains("has not begun"))'
    enter 0 1
    start 2
    answers status '.phase == "run" and .updates == 0 and .policy == "k-async:1" and .connected == 2'
    tell w1 grad 0 0 1
    hears w1 "params 1 1 full"
    answers workers '.workers[1].used == 1 and .workers[1].started == 2 and .workers[0].used == 0'
    answers help '.orders | length == 9'
    wrong=('sing' '' 'set' 'set policy' 'set policy k-sync:3' 'set policy hope' 'set step -1' 'set policy help' 'status now' \
        'drain' 'drain 2' 'drain x' 'resume' 'checkpoint' 'set step staleness-norm:C=0.1,max=1' \
        'set policy adasync:k-async,loss=full')
    order "${wrong[@]}" > refused
    run -0 jq -s "length == ${#wrong[@]} and all(.ok == false and (.error | length > 0))" refused
    assert_output true
    tell w1 grad 1 1 1
    hears w1 "params 2 2 full"
    tells ''
}

@test "K that is no more than what has come makes the update at once; gradients that wait are combined before others are added" {
    ps_for 3 k-sync:3 -J 9 --control unix:control
    enter 0 1 2
    start 3
    tell w0 grad 0 0 1
    tell w1 grad 0 0 1
    eventually grep -q 'push	1' run.trace
    answers 'set policy k-sync:2' .ok
    hears w0 "params 1 1 full"
    hears w2 "params 1 1 full"
    hears w1 "params 1 1 full"
    tell w0 grad 1 1 1
    eventually grep -q 'push	0	1' run.trace
    answers 'set policy k-batch-async:2' .ok
    hears w0 "params 2 2 full"
    tell w0 grad 2 2 1
    hears w0 "params 2 3 same"
    answers status '.policy == "k-batch-async:2" and .K == 2 and .updates == 2'
    answers 'set policy async' .ok
    tell w0 grad 2 3 1
    hears w0 "params 4 4 full"
    tells 'policy k-sync:2 K=2 combine combine policy k-batch-async:2 combine policy async K=1 '
}

@test "a worker that is drained leaves with its next gradient, nobody is awaited in its place, and K follows" {
    ps_for 2 sync -J 2 --control unix:control
    enter 0 1
    start 2
    answers 'drain 1' .ok
    answers 'drain 1' '.ok == false'
    tell w1 grad 0 0 1
    tell w0 grad 0 0 1
    hears w1 bye
    tell w1 bye -
    hears w0 "params 1 1 full"
    tell w0 grad 1 1 1
    hears w0 bye
    tell w0 bye -
    ended=0
    wait "$server" || ended=$?
    assert_equal "$ended" 0
    grep -q 'leave	1' run.trace
    tells 'drain@1 K=1 '
}

@test "while a run is paused no gradient is taken and its clock stands still" {
    ps_for 1 async -T 1h --control unix:control
    enter 0
    start 1
    answers pause .ok
    answers status '.phase == "paused"'
    time=$(order status | jq .time)
    tell w0 grad 0 0 1
    tell w0 heartbeat
    answers status ".updates == 0 and .time == $time"
    answers pause '.ok == false'
    answers resume .ok
    hears w0 "params 1 1 full"
    answers status ".phase == \"run\" and .time - $time < 10"
    answers pause .ok
    answers stop .ok
    hears w0 bye
    tell w0 bye 1
    ended=0
    wait "$server" || ended=$?
    assert_equal "$ended" 0
    [ -s model ]
    tells 'pause go on pause go on '
}

# bats test_tags=plain
@test "a run whose rules were changed again and again is replayed from its trace to the same bytes" {
    shards 4
    background ps dsgd-ps -m softmax -e 0.01 -P 4 -p sync -J 100k -o model -t run.trace --control unix:control \
        -x 'dsgd-worker -d exp:mean=1ms shard-%r'
    eventually test -S control
    n=3
    for rules in 'policy k-sync:2' 'policy k-batch-sync:6' 'policy k-async:3' 'step 0.02' 'policy k-batch-async:2' \
        'policy ssp:0' 'policy bounded:2' 'step staleness-inverse:0.01' 'policy bounded:4,mode=drop' 'policy async' \
        'policy adasync:k-sync,every=10ms' 'policy k-async:2'; do
        eventually updates $n
        order "set $rules" 'set step sqrt:0.01' > set
        run -0 jq -e .ok set
        n=$(($(order status | jq .updates) + 5))
    done
    order pause resume 'drain 2' > set
    eventually updates $((n + 5))
    order stop > set
    run -0 jq -e .ok set
    eventually test -s model
    no_server() {
        ! kill -0 "$(tail -n 1 .background)" 2> /dev/null
    }
    eventually no_server
    [ "$(told | grep -o 'policy [a-z]' | wc -l)" -eq 10 ]
    grep -q 'stop	.*control' run.trace
    replays shard-0 shard-1 shard-2 shard-3
}

@test "a checkpoint is written when it is ordered, and a run goes on from it by the rules that it had, by the command line that it had" {
    shards 2
    command=(dsgd-ps -m softmax -e 0.01 -P 2 -p sync -o model -t run.trace -C state --resume --control unix:control
        -x 'dsgd-worker shard-%r')
    background ps "${command[@]}" -T 1h
    eventually test -S control
    eventually updates 1
    order 'set policy k-async:1' 'set step 0.002' > set
    n=$(($(order status | jq .updates) + 1))
    eventually updates "$n"
    order checkpoint > answer
    jq -e ".ok and .checkpoint >= $n" answer || fail "$(cat answer)"
    [ -s state ]
    answers 'checkpoint ' '.ok and .checkpoint != null'
    run -0 dsgd-eval -m state shard-0
    kill -9 "$(tail -n 1 .background)"
    eventually no_process
    n=$(jq .checkpoint answer)
    run -3 --separate-stderr "${command[@]}" -p k-sync:2 -J $((n + 20))
    run -0 --separate-stderr "${command[@]}" -J $((n + 20))
    run -0 told
    assert_output --regexp 'policy k-async:1 .*step const:0.002 resumed'
    replays shard-0 shard-1
    run -0 "${command[@]}" -J $((n + 25))
}

@test "orders come by a Unix socket alone, of mode 0600 and in a folder of one's own" {
    refused() {
        run -2 --separate-stderr dsgd-ps -m null:1 -J 1 -x true -o model --control "$1"
        assert_equal "${#stderr_lines[@]}" 1
        [[ $stderr == *"--control"*"$2"* ]] || fail "$stderr"
    }
    refused tcp:127.0.0.1:0 'unix:PATH alone'
    refused stdio 'unix:PATH alone'
    mkdir -m 0777 open
    chmod 0777 open
    refused "unix:open/control" 'a folder of your own'
    ps_for 1 async -J 1 --control unix:control
    run -0 stat -c %a control
    assert_output 600
    run -4 --separate-stderr dsgd-ps -m null:1 -J 1 -P 1 -l unix:other --control "unix:$PWD/control"
    answers status .ok
}

@test "stop before the start is status 1; who hangs about is closed for others, who writes no end of a line at once" {
    ps_for 2 async -J 1 --control unix:control
    background crowd python3 "$top_srcdir/tests/lib/hanging.py" control 60
    eventually grep -qx 60 crowd.out
    (($(ls "/proc/$server/fd" | wc -l) < 40))
    answers status .ok
    head -c 20000 /dev/zero | tr '\0' x > long
    run python3 "$top_srcdir/tests/lib/control.py" control "$(cat long)"
    assert_failure
    printf 'status\nstatus\nstop\n' | python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("control")
s.sendall(sys.stdin.buffer.read())
s.shutdown(socket.SHUT_WR)
print(s.makefile().read(), end="")' > three
    run -0 jq -e .ok three
    assert_equal "${#lines[@]}" 3
    ended=0
    wait "$server" || ended=$?
    assert_equal "$ended" 1
    [ ! -e model ]
    grep -q 'stopped by --control before the start' ps.err
}
