#!/usr/bin/env bats
# Every policy end to end, and what each of them sends to whom, frame by frame.
# bats file_tags=slow,plain

setup() {
    load lib/common.bash
    load lib/training.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# The events of the trace that match, as "event worker seq version".
events() {
    awk -F '\t' -v which="$1" '$2 ~ "^(" which ")$" { print $2, $3, $4, $5 }' run.trace
}

@test "every policy learns, accounts for every gradient, and ends all its workers in order" {
    local policy
    dsgd-shard -q -n 4 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
    for policy in $(every_policy); do
        echo "$policy"
        dsgd-ps -P 4 -p "${policy/:4/:2}" -m softmax -e 0.003 -J 60 -S 20 -t run.trace -x 'dsgd-worker -d exp:mean=1ms shard-%r' \
            2> err | dsgd-eval "$top_srcdir/share/data/digits-test.csv.gz" --no-header --label-column 65 > curve
        run -0 cut -f 1 curve
        assert_output $'iteration\n0\n20\n40\n60'
        run -0 awk 'NR == 2 { first = $3 } END { exit !($3 < first / 2) }' curve
        identities
        run ! grep -v -e '^dsgd-ps: 60 updates' -e '^worker ' -e '^[0-9a]' \
            -e '^dsgd-ps: [0-9]* rows were in minibatches thrown away' err
        run -0 awk '$1 ~ /^[0-9]+$|^all$/ && $2 != $3 + $4 + $5 + $6 + $7 { exit 1 }' err
        run -0 diff <(awk '/^[0-9]/ || /^all/ { print $1, $2, $3, $4, $5, $6, $7, $8 }' err) \
            <(dsgd-trace summary run.trace | awk 'NR > 1 { print $1, $2, $3, $4, $5, $6, $7, $8 }')
    done
}

@test "sync: the update waits for all, and all get it" {
    ps_for 2 sync -J 2
    enter 0 1
    start 2
    tell w1 grad 0 0 1
    tell w0 grad 0 0 1
    hears w0 "params 1 1 full"
    hears w1 "params 1 1 full"
    tell w0 grad 1 1 1
    tell w1 grad 1 1 1
    hears w0 bye
    hears w1 bye
    tell w0 bye -
    tell w1 bye -
    hang_up w0
    hang_up w1
    wait "$server"
    identities
}

@test "sync: the bits do not depend on who pushed first" {
    local order i
    for order in "0 1 2" "2 1 0" "1 2 0"; do
        ps_for 3 sync -J 1
        enter 0 1 2
        start 3
        # Sums of these in floats depend on their order.
        for i in $order; do
            tell "w$i" grad 0 0 "$((i == 0 ? 1 : i == 1 ? 100000000 : -100000000))"
        done
        for i in 0 1 2; do
            hang_up "w$i"
        done
        wait "$server"
        dsgd-eval -m model --predict "$(data 12-label-sets/plus-minus.svm)" > /dev/null
        tail -c 16 model > "bits-${order// /}"
        rm ps.ready
    done
    cmp bits-012 bits-210
    cmp bits-012 bits-120
}

@test "k-sync: what is not in the update is void, and a gradient that crosses it is late" {
    ps_for 3 k-sync:2 -J 2
    enter 0 1 2
    start 3
    tell w0 grad 0 0 1
    tell w1 grad 0 0 1
    hears w0 "params 1 1 full"
    hears w1 "params 1 1 full"
    tell w2 grad 0 0 1000 # on its way before the update came
    hears w2 "params 1 1 full"
    tell w2 grad 1 1 1
    tell w0 cancelled 0 # was never void: a peer that breaks the rules
    hears w0 "error 5 minibatch 0 broken off, which was not void"
    tell w1 grad 1 1 1
    hears w1 bye
    for w in w0 w1 w2; do
        hang_up $w
    done
    wait "$server"
    run -0 events 'late'
    assert_output "late 2 0 0"
    run -0 events 'push'
    assert_output $'push 0 0 0\npush 1 0 0\npush 2 1 1\npush 1 1 1'
    identities
}

@test "k-sync: a voided worker that breaks off is cancelled" {
    ps_for 2 k-sync:1 -J 2
    enter 0 1
    start 2
    tell w0 grad 0 0 1
    hears w0 "params 1 1 full"
    hears w1 "params 1 1 full"
    tell w1 cancelled 0
    tell w1 grad 1 1 1
    hears w1 bye
    tell w1 bye -
    hears w0 bye
    tell w0 bye 1
    hang_up w0
    hang_up w1
    wait "$server"
    run -0 events 'void|cancelled|late'
    assert_output $'void 1 0 0\ncancelled 1 0 NA\nvoid 0 1 1\ncancelled 0 1 NA'
    identities
}

@test "k-batch-sync: a worker goes on at once on the same parameters, and may fill an update alone" {
    ps_for 2 k-batch-sync:2 -J 1
    enter 0 1
    start 2
    tell w0 grad 0 0 1
    hears w0 "params 0 1 same"
    tell w0 grad 0 1 1
    hears w0 bye
    hears w1 bye
    hang_up w0
    hang_up w1
    wait "$server"
    run -0 events 'push|void'
    assert_output $'push 0 0 0\npush 0 1 0\nvoid 1 0 0'
    identities
}

@test "async: only the worker that pushed gets the new parameters, the others go on" {
    ps_for 2 async -J 3
    enter 0 1
    start 2
    tell w0 grad 0 0 1
    hears w0 "params 1 1 full"
    tell w0 grad 1 1 1
    hears w0 "params 2 2 full"
    tell w1 grad 0 0 1
    hears w1 bye
    hang_up w0
    hang_up w1
    wait "$server"
    run -0 events 'void|cancelled|late'
    assert_output ""
    run -0 awk -F '\t' '$2 == "push" { print $3, $7 }' run.trace
    assert_output $'0 0\n0 0\n1 2'
    identities
}

@test "k-async: who has pushed waits for the update, who has not goes on with the old version" {
    ps_for 3 k-async:2 -J 2
    enter 0 1 2
    start 3
    tell w0 grad 0 0 1
    tell w0 grad 0 1 1 # it was not granted another
    hears w0 "error 5 a second gradient before the update"
    tell w1 grad 0 0 1
    hears w1 "params 1 1 full"
    tell w2 grad 0 0 1
    tell w1 grad 1 1 1
    hears w2 bye
    for w in w0 w1 w2; do
        hang_up $w
    done
    wait "$server"
    run -0 awk -F '\t' '$2 == "push" { print $3, $7 }' run.trace
    assert_output $'0 0\n1 0\n2 1\n1 0'
    identities
}

@test "k-batch-async: a worker goes on at once on the newest parameters, nothing is void" {
    ps_for 2 k-batch-async:2 -J 2
    enter 0 1
    start 2
    tell w0 grad 0 0 1
    hears w0 "params 0 1 same"
    tell w0 grad 0 1 1
    hears w0 "params 1 2 full"
    tell w1 grad 0 0 1
    hears w1 "params 1 1 full"
    tell w0 grad 1 2 1
    hears w0 bye
    hang_up w0
    hang_up w1
    wait "$server"
    run -0 awk -F '\t' '$2 == "push" { print $3, $7 }' run.trace
    assert_output $'0 0\n0 0\n1 1\n0 0'
    identities
}

@test "parameters that a worker has not begun to read give way to newer ones" {
    ps_for 2 k-sync:1 -J 4
    wire w0
    wire w1
    tell w0 hello 0 3000000 100 -1 +1
    tell w1 hello 1 3000000 100 -1 +1
    hears w0 "welcome 0 2"
    for j in 0 1 2 3; do
        hears w0 "params $j $j full"
        tell w0 grad "$j" "$j" 1
    done
    hears w0 bye
    hears w1 "welcome 1 2"
    hears w1 "params 0 0 full"
    hears w1 "params 3 3 full"
    hears w1 bye
    hang_up w0
    hang_up w1
    wait "$server"
    run -0 awk -F '\t' '$12 == "unsent" { print $2, $3, $4 }' run.trace
    assert_output $'cancelled 1 1\ncancelled 1 2'
    identities
}

@test "adasync: K grows as the loss falls, and a replay sees the same" {
    dsgd-shard -q -n 4 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
    dsgd-ps -q -p adasync:k-async,every=50ms -m softmax -e 0.003 -J 300 -t run.trace -o model -P 4 \
        -x 'dsgd-worker -d exp:mean=4ms shard-%r'
    run -0 awk -F '\t' '$2 == "set" && $12 ~ /^K=[234]$/ { n++ } END { exit !n }' run.trace
    dsgd-sim -q --replay run.trace -o again shard-0 shard-1 shard-2 shard-3
    run -0 cmp model again
}

@test "adasync: the loss of all rows comes from a process of its own, and K is what follows from it" {
    dsgd-shard -q -n 4 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
    dsgd-ps -q -p adasync:k-batch-async,every=20ms,loss=full -m softmax -e 0.003 -J 300 -t run.trace -o model -P 4 \
        --loss-command 'tee models | dsgd-eval shard-* | tee losses' -x 'dsgd-worker -d exp:mean=4ms shard-%r'
    # P 4, K0 1: K = sqrt(F0 / F), rounded; each loss that it follows is one that the process told
    run -0 awk -F '\t' 'NR == FNR { told[$3] = 1; if (FNR == 2) first = $3; next }
        $2 == "set" { k = int(sqrt(first / $11) + 0.5); n++; if ($12 != "K=" k || !($11 in told)) wrong++ }
        END { exit wrong || !n }' losses run.trace
    run -0 dsgd-eval shard-0 < models
    assert_line --index 1 --regexp $'^0\t0\t2.30258'
    dsgd-sim -q --replay run.trace -o again -t again.trace shard-0 shard-1 shard-2 shard-3
    cmp model again
    cmp run.trace again.trace
}

@test "a loss command that is wrong ends the run, one that fails later does not" {
    dsgd-shard -q -n 2 "$top_srcdir/share/data/digits-test.csv.gz" --no-header --label-column 65
    local full=(-m softmax -e 0.003 -J 60 -o model -x 'dsgd-worker -q -d exp:mean=4ms shard-%r' -P 2 -p
        adasync:k-async,every=20ms,loss=full)
    run -5 dsgd-ps "${full[@]}" --loss-command 'exec dsgd-eval absent'
    assert_line "dsgd-ps: --loss-command 'exec dsgd-eval absent' ended with status 4"
    run -5 dsgd-ps "${full[@]}" --loss-command 'seq 3; cat > /dev/null'
    assert_line "dsgd-ps: --loss-command 'seq 3; cat > /dev/null' writes no column 'loss'"
    run -5 dsgd-ps "${full[@]}" --loss-command 'printf "loss\nlow\n"; cat > /dev/null'
    assert_line --regexp "^dsgd-ps: --loss-command '.*' writes a loss that is no number$"
    run -0 dsgd-ps "${full[@]}" --loss-command 'printf "x\tloss\n1\t2\n"; exit 3'
    assert_line --regexp "^dsgd-ps: --loss-command '.*' ended with status 3: K stays as it is$"
    run -2 dsgd-ps "${full[@]}"
    assert_output --partial "loss=full needs a command"
    run -2 dsgd-ps "${full[@]:0:12}" --loss-command 'dsgd-eval shard-0'
    assert_output "dsgd-ps: --loss-command: only adasync with loss=full asks for it"
}
