#!/usr/bin/env bats
# Workers that are cut off, frozen or slow: who is lost, who is not, and how they come back.
# bats file_tags=slow,timing

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# The pid in the name of the wire that was made last.
wire_pid() {
    tail -n 1 .background
}

# NAME says that it is the worker WAS, whose connection was lost, and had RANK.
#   back NAME WAS RANK
back() {
    wire "$1"
    tell "$1" back "$2"
    tell "$1" hello "$3" 3 100 -1 +1
}

leave() {
    local w
    for w in "$@"; do
        hears "$w" bye
        tell "$w" bye -
        hang_up "$w"
    done
}

# N events of KIND of worker RANK are in the trace.
#   traced KIND RANK [N]
traced() {
    awk -F '\t' -v kind="$1" -v rank="$2" -v n="${3-1}" '$2 == kind && $3 == rank { m++ } END { exit m < n }' run.trace
}

@test "a worker that is back before its loss was noticed keeps its rank and minibatch number" {
    ps_for 2 sync -J 1
    enter 0 1
    local name
    name=wire:$(wire_pid)
    start 2
    back again "$name" 1
    hears again "welcome 1 2"
    hears again "params 0 1 full"
    said "worker 1 (wire:[0-9]*) is lost after update 0: it came back on another connection"
    hears w1 closed
    hang_up w1
    tell w0 grad 0 0 1
    tell again grad 0 1 1
    leave w0 again
    wait "$server"
    identities
    run -0 awk -F '\t' '$3 == 1 && $2 != "send" { print $2, $4 }' run.trace
    assert_output $'join NA\ngone NA\ncancelled 0\njoin NA\npush 1\nleave NA'
}

@test "one that is back while others gather is the same, too" {
    ps_for 2 sync -J 1
    enter 1
    back again "wire:$(wire_pid)" 1
    said "wire:[0-9]* left before it was needed: it came back on another connection"
    hang_up w1
    enter 0
    hears w0 "welcome 0 2"
    hears again "welcome 1 2"
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    hang_up w0
    hang_up again
}

@test "one that is back when another has its place waits as a spare, and is needed again" {
    ps_for 1 sync -J 1
    enter 0
    local name
    name=wire:$(wire_pid)
    start 1
    hang_up w0
    said "worker 0 .* is lost"
    enter 0
    hears w0 "welcome 0 1"
    hears w0 "params 0 1 full"
    back again "$name" 0
    said "$name waits as a spare"
    hang_up w0
    hears again "welcome 0 1"
    hears again "params 0 2 full"
    tell again grad 0 2 1
    leave again
    wait "$server"
    identities
}

@test "who is started again when a spare has its place is a spare itself, and is needed" {
    ps_for 2 sync -J 1
    enter 0 1
    wire spare
    tell spare hello 9 3 100 -1 +1
    start 2
    hang_up w1
    hears spare "welcome 1 2"
    hears spare "params 0 1 full"
    enter 1
    said "wire:$(wire_pid) waits as a spare"
    hang_up w0
    hears w1 "welcome 0 2"
    hears w1 "params 0 1 full"
    tell w1 grad 0 1 1
    tell spare grad 0 1 1
    leave w1 spare
    wait "$server"
    identities
}

# NAME, with the rows that all in such a run have: as who comes to RANK, or comes back to it as WAS.
#   same_rows NAME RANK [WAS]
same_rows() {
    wire "$1"
    [ $# -lt 3 ] || tell "$1" back "$3"
    tell "$1" shards '[{"file":"all","rows":100,"crc32":"00000000"}]'
    tell "$1" hello "$2" 3 100 -1 +1
}

# Of two that have rank 1, one of them from its return on, the second takes what is free.
#   takes_free FIRST SECOND
takes_free() {
    local w
    rm ps.ready
    ps_for 3 sync -J 2 -C ck --resume
    for w in "$@"; do
        if [ "$w" = again ]; then
            same_rows "$w" 1 was:1
        else
            same_rows "$w" 1
        fi
    done
    same_rows w2 2
    hears "$1" "welcome 1 3"
    hears "$2" "welcome 0 3"
    kill -KILL "$server"
    wait "$server" || [ $? -eq 137 ]
    for w in "$@" w2; do
        hang_up "$w"
    done
}

@test "in a run that goes on, who finds another at its place takes a free one at once" {
    local w
    ps_for 3 sync -J 1 -C ck
    for w in 0 1 2; do
        same_rows w$w $w
    done
    start 3
    for w in 0 1 2; do
        tell w$w grad 0 0 1
    done
    leave w0 w1 w2
    wait "$server"
    takes_free w1 again
    takes_free again w1
}

@test "a frozen worker is lost, and comes back by itself when it thaws, to the full set of sync" {
    dsgd-shard -q -n 2 "$(data 16-uneven-shards-end/a.svm)"
    ps_for 2 sync -T 1h --worker-timeout 700ms
    local r pids=()
    for r in 0 1; do
        background "w$r" dsgd-worker -c "$address" -r $r -d const:5ms shard-$r
        pids+=($!)
    done
    eventually traced push 1
    kill -STOP "${pids[1]}"
    said "worker 1 (.*) is lost after update [0-9]*: nothing was heard of it for 0.7 s"
    kill -CONT "${pids[1]}"
    said "the run goes on"
    eventually traced join 1 2
    eventually awk -F '\t' '$2 == "join" && $3 == 1 { n++ } $2 == "update" && n == 2 { found = 1 } END { exit !found }' run.trace
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    run -0 cat w1.err
    assert_output --regexp '^dsgd-worker: unix:.*; trying to come back$'
    identities
}

@test "so is one that nobody froze: a server that was frozen itself holds nobody lost" {
    dsgd-shard -q -n 2 "$(data 16-uneven-shards-end/a.svm)"
    ps_for 2 sync -T 1h --worker-timeout 2s
    local r n
    for r in 0 1; do
        background "w$r" dsgd-worker -c "$address" -r $r -d const:5ms shard-$r
    done
    eventually traced push 1
    kill -STOP "$server"
    eventually grep -q 'nothing came for 2 s; trying to come back' w0.err w1.err
    kill -CONT "$server"
    n=$(grep -c $'\tpush\t' run.trace)
    more() { [ "$(grep -c $'\tpush\t' run.trace)" -gt $((n + 10)) ]; }
    eventually more
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    run ! grep 'nothing was heard' ps.err
    identities
}

@test "who still computes is slow, not lost: a minibatch that takes longer than --worker-timeout" {
    awk 'BEGIN { for (; i < 4000; i++) printf "%d 1:%g 2:%g\n", i % 2, i % 7, i % 5 }' > d.svm
    run -0 dsgd-ps -q -m mlp:1024,1024 -b 4000 -J 1 -o model -t run.trace --worker-timeout 600ms -x 'exec dsgd-worker d.svm'
    assert_output ""
    run -0 awk -F '\t' '$2 == "push" { print $9 }' run.trace
    awk -v t="$output" 'BEGIN { exit !(t > 0.6) }' || skip "it took only $output s here"
}

@test "a spare takes the place of one that left while others gather, and at the end of that, of one that never came" {
    ps_for 3 sync -J 1
    enter 0 1
    wire spare
    tell spare hello 9 3 100 -1 +1
    said "waits as a spare"
    hang_up w1
    said "left before it was needed"
    enter 2
    hears spare "welcome 1 3"
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    hang_up w0
    hang_up w2
    hang_up spare
    rm ps.ready
    ps_for 2 sync -J 1 --join-timeout 1s
    enter 0
    wire spare
    tell spare hello 9 3 100 -1 +1
    hears spare "welcome 1 2"
    hears w0 "welcome 0 2"
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    hang_up w0
    hang_up spare
}
