#!/usr/bin/env bats
# Workers that are lost, return, come late or come too many.

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Minibatch SEQ on VERSION from worker RANK.
#   push RANK VERSION SEQ
push() {
    tell "w$1" grad "$2" "$3" 1
}

leave() {
    local r
    for r in "$@"; do
        hears "w$r" bye
        tell "w$r" bye -
        hang_up "w$r"
    done
}

# Status of the server once it has ended, in $ended.
end_of_server() {
    ended=0
    wait "$server" || ended=$?
}

@test "k-sync goes on without a lost worker, whose half-sent gradient is not used" {
    ps_for 3 k-sync:2 -J 2
    enter 0 1 2
    start 3
    push 0 0 0
    tell w1 half 0 0
    hang_up w1
    said "worker 1 (wire:[0-9]*) is lost after update 0: connection closed"
    push 2 0 0
    hears w0 "params 1 1 full"
    hears w2 "params 1 1 full"
    push 2 1 1
    push 0 1 1
    leave 0 2
    end_of_server
    [ "$ended" -eq 0 ]
    [ -f model ]
    run -0 awk -F '\t' '$2 == "gone" || $2 == "push" { print $2, $3 }' run.trace
    assert_output $'push 0\ngone 1\npush 2\npush 2\npush 0'
    identities
}

@test "a killed worker is named with its shard, and the run goes on" {
    dsgd-shard -q -n 3 "$(data 16-uneven-shards-end/a.svm)"
    dsgd-ps -m logistic -p async -J 200 -o model -t run.trace -P 3 \
        -x 'echo $$ > pid-%r; exec dsgd-worker -d const:5ms shard-%r' 2> err 3>&- &
    local ps=$!
    eventually grep -qs '^# dsgd-trace' run.trace
    kill -9 "$(cat pid-1)"
    wait $ps
    run -0 grep -e "worker 1 (.*shard-1) is lost after update" err
    run -0 grep -e "worker 1 ('echo .*') was ended by signal 9" err
    identities
}

@test "sync waits for a worker in the place of a lost one, which gets the model as it is" {
    ps_for 2 sync -J 3
    enter 0 1
    start 2
    push 0 0 0
    push 1 0 0
    hears w0 "params 1 1 full"
    hears w1 "params 1 1 full"
    push 0 1 1
    hang_up w1
    said "waiting up to 30 s for a worker in its place"
    enter 1
    hears w1 "welcome 1 2"
    hears w1 "params 1 2 full"
    push 1 1 2
    hears w0 "params 2 2 full"
    hears w1 "params 2 3 full"
    push 0 2 2
    push 1 2 3
    leave 0 1
    end_of_server
    [ "$ended" -eq 0 ]
    said "worker 1 (wire:[0-9]*): nobody at its place from update 1 to 1"
    identities
}

@test "a worker that comes back does not set the others back" {
    ps_for 3 k-sync:2 -J 4
    enter 0 1 2
    start 3
    hang_up w1
    said "worker 1 .* is lost"
    local j
    for j in 0 1; do
        push 0 $j $j
        push 2 $j $j
        hears w0 "params $((j + 1)) $((j + 1)) full"
        hears w2 "params $((j + 1)) $((j + 1)) full"
    done
    enter 1
    hears w1 "welcome 1 3"
    hears w1 "params 2 1 full"
    push 1 2 1
    push 0 2 2
    hears w0 "params 3 3 full"
    hears w1 "params 3 2 full"
    hears w2 "params 3 3 full"
    push 0 3 3
    push 1 3 2
    leave 0 1 2
    end_of_server
    [ "$ended" -eq 0 ]
    said "worker 1 (wire:[0-9]*): nobody at its place from update 0 to 2"
    identities
}

@test "without a worker in time the run ends with status 5, its trace and snapshots complete" {
    ps_for 2 sync -J 5 --loss-timeout 50ms -S 2
    enter 0 1
    start 2
    push 0 0 0
    push 1 0 0
    hears w0 "params 1 1 full"
    hang_up w1
    hears w0 bye
    tell w0 bye 1
    hang_up w0
    end_of_server
    [ "$ended" -eq 5 ]
    said "worker 1 (wire:[0-9]*) was lost, 1 of 2 workers are left at update 1: nobody took its place within 0.05 s"
    [ ! -e model ]
    run -0 awk -F '\t' '$2 == "stop" || $2 == "leave" { print $2, $3, $4, $12 }' run.trace
    assert_output $'stop NA NA worker lost\nleave 0 1 NA'
    run -0 dsgd-eval "$(data 12-label-sets/plus-minus.svm)" < ps.out
    run -0 awk '{ print $1 }' <<< "$output"
    assert_output $'iteration\n0\n1'
    identities
}

@test "a run that nobody can join any more ends at once when it cannot go on" {
    dsgd-shard -q -n 2 "$(data 16-uneven-shards-end/a.svm)"
    dsgd-ps -q -m logistic -J 1000000 -o model -t run.trace -P 2 \
        -x 'echo $$ > pid-%r; exec dsgd-worker -q shard-%r' 2> err 3>&- &
    local ps=$! ended=0
    eventually grep -qs '^# dsgd-trace' run.trace
    kill -9 "$(cat pid-1)"
    wait $ps || ended=$?
    [ "$ended" -eq 5 ]
    run -0 cat err
    assert_output --regexp "^dsgd-ps: worker 1 \(.*, shard-1\) was lost, 1 of 2 workers are left at update [0-9]+: nobody can take its place: there is no -l$"
    [ ! -e model ]
    run -0 tail -n 2 run.trace
    assert_output --partial 'worker lost'
}

@test "--on-loss fail ends the run with the loss" {
    ps_for 2 sync -J 5 --on-loss fail
    enter 0 1
    start 2
    hang_up w1
    hears w0 bye
    hang_up w0
    end_of_server
    [ "$ended" -eq 5 ]
    said "worker 1 .* was lost, 1 of 2 workers are left at update 0: --on-loss fail"
}

@test "--on-loss fail has nothing to say while enough workers are left" {
    ps_for 2 k-async:1 -J 1 --on-loss fail
    enter 0 1
    start 2
    hang_up w1
    said "worker 1 .* is lost"
    push 0 0 0
    leave 0
    end_of_server
    [ "$ended" -eq 0 ]
}

@test "--on-loss shrink goes on with those that are left, says so, and grows again" {
    ps_for 3 sync -J 3 --on-loss shrink
    enter 0 1 2
    start 3
    push 0 0 0
    push 2 0 0
    hang_up w1
    hears w0 "params 1 1 full"
    hears w2 "params 1 1 full"
    said "K is now 2, with 2 of 3 workers"
    push 0 1 1
    push 2 1 1
    hears w0 "params 2 2 full"
    hears w2 "params 2 2 full"
    enter 1
    hears w1 "welcome 1 3"
    hears w1 "params 2 1 full"
    said "K is now 3, with 3 of 3 workers"
    push 0 2 2
    push 2 2 2
    push 1 2 1
    leave 0 1 2
    end_of_server
    [ "$ended" -eq 0 ]
    run -0 awk -F '\t' '$2 == "set" || $2 == "update" { print $2, $12 }' run.trace
    assert_output $'update n=2\nset K=2\nupdate n=2\nset K=3\nupdate n=3'
    identities
}

# Worker 1 of 2 is lost at once, worker 0 makes its pass: two minibatches of 50 of its 100 rows.
#   pass_without POLICY MODE
pass_without() {
    ps_for 2 "$1" -E 1 -b 50 --on-loss "$2"
    enter 0 1
    start 2
    hang_up w1
    said "worker 1 .* is lost"
    push 0 0 0
    tell w0 next
    [[ $heard == "params "*" 1 "* ]] || fail "$heard"
    push 0 "$(cut -d ' ' -f 2 <<< "$heard")" 1
    leave 0
    end_of_server
}

@test "with passes, --on-loss shrink ends the run when those that are left have made theirs" {
    local p
    for p in async sync k-async:2 k-batch-async:3 k-batch-sync:5; do
        pass_without $p shrink
        [ "$ended" -eq 0 ] || fail "$p: $ended"
        said "worker 1 (wire:[0-9]*): nobody at its place from update 0 to the end"
        said "worker 1 (wire:[0-9]*): not all of its rows were seen in its passes: 1 of 2 minibatches were made"
        run -0 awk -F '\t' '$2 == "stop" { print $12 }' run.trace
        assert_output passes
        run -0 awk -F '\t' '$2 == "update" { split($12, n, "="); all += n[2] } END { print all }' run.trace
        assert_output 2
        identities
        rm model ps.ready
    done
}

@test "with passes, --on-loss fail ends the run when only the lost ones are missing" {
    pass_without async fail
    [ "$ended" -eq 5 ]
    said "worker 1 .* was lost, .*: --on-loss fail"
    [ ! -e model ]
}

@test "--on-loss shrink with nobody left waits for somebody" {
    ps_for 1 sync -J 2 --on-loss shrink
    enter 0
    start 1
    push 0 0 0
    hears w0 "params 1 1 full"
    hang_up w0
    said "waiting up to 30 s"
    enter 0
    hears w0 "welcome 0 1"
    hears w0 "params 1 2 full"
    push 0 1 2
    leave 0
    end_of_server
    [ "$ended" -eq 0 ]
    identities
}

@test "a worker beyond P is a spare, and takes the place of the next that is lost" {
    ps_for 2 sync -J 1
    enter 0 1
    start 2
    wire spare
    tell spare hello - 3 100 -1 +1
    said "wire:[0-9]* waits as a spare"
    push 0 0 0
    hang_up w1
    hears spare "welcome 1 2"
    hears spare "params 0 1 full"
    tell spare grad 0 1 1
    leave 0
    hears spare bye
    hang_up spare
    end_of_server
    [ "$ended" -eq 0 ]
    identities
}

@test "a spare that is not needed goes home with the others" {
    ps_for 1 sync -J 1
    enter 0
    start 1
    wire spare
    tell spare hello 7 3 100 -1 +1
    said "waits as a spare"
    push 0 0 0
    leave 0
    hears spare bye
    hang_up spare
    end_of_server
    [ "$ended" -eq 0 ]
}

@test "a worker that says nothing for --worker-timeout is lost" {
    dsgd-shard -q "$(data 16-uneven-shards-end/a.svm)"
    ps_for 2 async -J 150 --worker-timeout 700ms -x 'dsgd-worker -q -d const:10ms shard-0'
    wire w1
    tell w1 hello 1 1 100 -1 +1
    hears w1 "welcome 1 2"
    hears w1 "params 0 0 full"
    said "worker 1 (wire:[0-9]*) is lost after update [0-9]*: nothing was heard of it for 0.7 s"
    end_of_server
    [ "$ended" -eq 0 ]
    hears w1 closed
    hang_up w1
    identities
}

@test "heartbeats keep workers that wait, on both sides" {
    dsgd-shard -q -n 2 "$(data 16-uneven-shards-end/a.svm)"
    run -0 dsgd-ps -q -m logistic -J 1 -o model --worker-timeout 700ms \
        -x 'dsgd-worker -d const:1ms shard-0' -x 'dsgd-worker -d const:1500ms shard-1'
    assert_output ""
}

@test "a late worker that does not fit is told why, and the run goes on" {
    ps_for 2 async -J 1
    enter 0 1
    start 2
    hang_up w1
    said "worker 1 .* is lost"
    wire label
    tell label hello 1 3 100 -1 +1 7
    hears label "error 3 wire.svm:3: label 7"
    wire wide
    tell wide hello 1 4 100 -1 +1
    hears wide "error 3 "
    [[ $heard == *"4 features, this run has 3" ]]
    push 0 0 0
    leave 0
    hang_up label
    hang_up wide
    end_of_server
    [ "$ended" -eq 0 ]
}

@test "before the start who takes any rank makes way for who asks for it" {
    ps_for 2 async -J 1 --worker-timeout 3s
    wire w1
    tell w1 hello - 3 100 -1 +1
    tell w1 beat
    [ "$heard" = ok ]
    enter 0
    hears w0 "welcome 0 2"
    hears w1 "welcome 1 2"
    hang_up w0
    hang_up w1
    kill "$server"
}

@test "a rank that is alive is refused, and its worker is left alone" {
    ps_for 1 async -J 1
    enter 0
    start 1
    wire twin
    tell twin hello 0 3 100 -1 +1
    hears twin "error 5 rank 0 is taken: wire:"
    push 0 0 0
    leave 0
    end_of_server
    [ "$ended" -eq 0 ]
}

@test "with passes a worker that is done leaves, and those that are left need no one else" {
    dsgd-shard -q --split sequential -o a "$(data 16-uneven-shards-end/a.svm)"
    dsgd-shard -q --split sequential -o c "$(data 16-uneven-shards-end/c.svm)"
    run -0 dsgd-ps -m logistic -b 2 -E 2 -o model -t run.trace --on-loss fail -x 'dsgd-worker a' -x 'dsgd-worker c'
    refute_output --partial lost
    run -0 awk -F '\t' '$2 == "leave" { print $3 } $2 == "stop" { print $12 }' run.trace
    assert_output $'1\n0\npasses'
    identities
}

@test "a worker that comes after the end finds nobody, and says so soon" {
    dsgd-shard -q "$(data 16-uneven-shards-end/a.svm)"
    serve ps dsgd-ps -q -m logistic -P 1 -l "unix:$PWD/sock" -J 1 -o model
    run -0 dsgd-worker -q -c "$address" shard-0
    wait "$server"
    run -5 dsgd-worker -q --connect-timeout 100ms -c "$address" shard-0
    assert_output --partial "$address"
}
