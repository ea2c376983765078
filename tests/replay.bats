#!/usr/bin/env bats
# dsgd-sim --replay: recorded runs, executed again to the same bits.
# bats file_tags=slow,plain

setup_file() {
    load lib/common.bash
    cd "$BATS_FILE_TMPDIR" || return
    dsgd-shard -q -n 4 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
}

setup() {
    load lib/common.bash
    load lib/training.bash
    cd "$BATS_TEST_TMPDIR" || return
    folder=$BATS_FILE_TMPDIR
    shards=("$folder"/shard-*)
}

teardown() {
    leave_nothing
}

# A real run of four workers into `model` and `run.trace`.
#   real POLICY OPTION...
real() {
    dsgd-ps -q -P 4 -p "$1" -m softmax -e 0.003 -o model -t run.trace \
        -x "dsgd-worker -q -d exp:mean=1ms $folder/shard-%r" "${@:2}"
}

# The recorded run again: its model is the recorded one, to the last byte, and so is every event.
#   same_again [OPTION]...
same_again() {
    identities
    dsgd-sim -q --replay run.trace -o again -t again.trace "$@" "${shards[@]}"
    cmp model again
    cmp run.trace again.trace
}

# Runs that between them have every policy, optimizer, step, correction and way to end.
combinations() {
    cat <<'X'
sync -J 40 -O adam --clip 5 --l2 0.01 --l1 0.02
k-sync:2 -J 40 -O momentum -e inverse:0.003,decay=0.01
k-batch-sync:2 -J 40 -O nesterov:0.5 --init normal:0.1 -s 18446744073709551615
async -J 40 -e staleness-norm:C=0.01,max=0.003 --correct dc
k-async:2 -J 40 -O adagrad -e staleness-inverse:0.003 --clip 1
k-batch-async:2 -J 40 -O momentum -e delay-adaptive:0.003 --correct dc
ssp:2 -J 40 -e sqrt:0.003 --no-bias -b 7
bounded:2 -J 40 -e step:0.003,factor=0.5,every=10
bounded:2,mode=drop -E 1 -b 100
adasync:k-batch-async,every=20ms -T 50ms
X
}

@test "a real run of every policy, optimizer, step and correction ends in the same bytes again" {
    local policy options
    while read -r policy options; do
        echo "$policy $options"
        # shellcheck disable=SC2086 # options and their values
        real "$policy" $options
        same_again
    done < <(combinations)
}

@test "no policy, optimizer or step is forgotten among the runs that are replayed" {
    local table name
    combinations > rows
    every_policy | sed 's/:.*/ /' > names
    for table in optimizer step; do
        dsgd-ps --$table=help | awk '/^[^ ]/ && $1 != "sgd" && $1 != "const" { print $1 }' >> names
    done
    while read -r name; do
        grep -q -e "[ -]$name" -e "^$name" rows || fail "$name"
    done < names
}

# A worker on the server's socket, by itself; its pid in $worker.
#   join NAME RANK FILE...
join() {
    background "$1" dsgd-worker -q -c "$address" -r "$2" -d exp:mean=5ms "${@:3}"
    worker=$!
}

# A run of which worker 1 is killed, and another comes in its place with other rows; the trace is in
# run.trace, the snapshots in ps.out.
#   killed_and_replaced POLICY
killed_and_replaced() {
    local r killed full=()
    rm -f run.trace
    [[ $1 != *loss=full* ]] || full=(--loss-command "dsgd-eval $folder/shard-*")
    serve ps dsgd-ps -m softmax -P 3 -p "$1" -e 0.003 -T 1h -S 1M -l "unix:$PWD/sock" -t run.trace "${full[@]}"
    for r in 0 1 2; do
        join "w$r" $r "$folder/shard-$r"
        [ $r -ne 1 ] || killed=$worker
    done
    eventually grep -qs $'\tupdate\t' run.trace
    kill -9 "$killed"
    eventually grep -q "worker 1 .* is lost" ps.err
    join late 1 late
    eventually grep -q "worker 1 is .*late, from update" ps.err
    eventually awk -F '\t' '$2 == "join" && $1 > 0 { late = 1 } late && $2 == "push" && $3 == 1 { found = 1 }
        END { exit !found }' run.trace
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    wait "$worker"
    rm ps.ready
}

@test "so does a run of every policy with a worker that was killed, and another that came with other rows" {
    local policy
    head -n 100 <(zcat "$top_srcdir/share/data/digits-train.csv.gz") > late.csv
    dsgd-shard -q -o late --no-header --label-column 65 late.csv
    for policy in $(every_policy) bounded:4,mode=drop adasync:k-sync,every=5ms,loss=full; do
        policy=${policy/:4/:2}
        echo "$policy"
        killed_and_replaced "$policy"
        run -0 awk -F '\t' '$2 == "gone" || ($2 == "join" && $1 > 0) || ($2 == "set" && $12 ~ /late$/)' run.trace
        assert_equal "${#lines[@]}" 3
        identities
        dsgd-sim -q --replay run.trace -S 1M -t again.trace "${shards[@]}" late | cmp ps.out -
        cmp run.trace again.trace
    done
    run -3 dsgd-sim -q --replay run.trace -o none "${shards[@]}"
    assert_output --regexp "^dsgd-sim: run.trace:[0-9]+: no file here has the 100 rows with crc32 .* of 'late'$"
    assert_not_exists none
}

@test "so does a run that ended by its time, and whose K shrank with the workers that were left" {
    dsgd-ps -P 3 -p sync -m softmax -e 0.003 -T 400ms --on-loss shrink -o model -t run.trace \
        -x "dsgd-worker -q -d const:1ms $folder/shard-0" -x "dsgd-worker -q $folder/shard-1" \
        -x "echo \$\$ > pid; exec dsgd-worker -q -d const:2ms $folder/shard-2" 2> err 3>&- &
    local ps=$!
    eventually grep -qs '^0.*update' run.trace
    kill -9 "$(cat pid)"
    wait $ps
    grep -q 'K=2$' run.trace
    grep -q $'\tstop\t.*\ttime$' run.trace
    same_again
}

@test "so does a run that lost its numbers, with the status that it had" {
    local status=0
    dsgd-ps -q -P 2 -p async -m least-squares -e 1e6 -J 100 -o model -t run.trace \
        -x "dsgd-worker -q $folder/shard-%r" 2> err || status=$?
    [ "$status" -eq 1 ]
    run -1 dsgd-sim -q --replay run.trace -o again "$folder"/shard-[01]
    assert_output --partial "is not a finite number"
    cmp model again
    status=0
    dsgd-sim -q -p async -m least-squares -e 1e6 -J 100 -d const:1s -o model -t run.trace "${shards[@]}" || status=$?
    [ "$status" -eq 1 ]
    run -1 dsgd-sim -q --replay run.trace -o again "${shards[@]}"
    assert_output --partial "is not a finite number"
    cmp model again
}

@test "snapshots of a replay are those of the run" {
    dsgd-ps -q -P 4 -p async -m softmax -e 0.003 -J 60 -S 10 --lossless -t run.trace \
        -x "dsgd-worker -q -d exp:mean=1ms $folder/shard-%r" > snapshots
    dsgd-sim -q --replay run.trace -S 10 "${shards[@]}" | cmp snapshots -
}

@test "rows are known by their checksums, in any order, and several files of a worker in theirs" {
    dsgd-ps -q -p k-async:2 -m softmax -e 0.003 -J 40 -o model -t run.trace \
        -x "dsgd-worker -q $folder/shard-0 $folder/shard-1" -x "dsgd-worker -q $folder/shard-3 $folder/shard-2" \
        -x "dsgd-worker -q -d const:1ms $folder/shard-0"
    shards=("$folder"/shard-{3,1,2,0})
    same_again
    cp "$folder"/shard-* .
    shards=(shard-2 shard-0 shard-3 shard-1)
    same_again
}

@test "raw data with the options that they were read with serve as well" {
    local data="$top_srcdir/share/data/digits-test.csv.gz" how=(--no-header --label-column 65)
    dsgd-ps -q -p async -m softmax -e 0.003 -J 20 -o model -t run.trace \
        -x "dsgd-worker -q ${how[*]} $data" -x "dsgd-worker -q ${how[*]} $data"
    dsgd-sim -q --replay run.trace -o again "${how[@]}" "$data"
    cmp model again
}

@test "options may be left out, or be the same" {
    real k-sync:2 -J 20 --l2 0.01
    dsgd-sim -q --replay run.trace -o again -m softmax -p k-sync:K=2 -e const:0.003 -b 32 -s 1 -P 4 -J 20 \
        --l2 1e-2 -O sgd --init model "${shards[@]}"
    cmp model again
}

# Fails with this status and a message that has this text, and no model.
refuses() {
    local status=$1 text=$2
    shift 2
    run "-$status" --separate-stderr dsgd-sim -q -o none "$@"
    [ "${#stderr_lines[@]}" -eq 1 ] || fail "$stderr"
    [[ $stderr == "dsgd-sim: "*"$text"* ]] || fail "$stderr: does not say $text"
    assert_not_exists none
}

@test "an option that contradicts the trace is refused with both values" {
    real k-sync:2 -J 20
    local replay=(--replay run.trace "${shards[@]}")
    refuses 3 'run.trace:1: --policy: policy here is "sync", the run was recorded with "k-sync:2"' -p sync "${replay[@]}"
    refuses 3 '--policy: policy here is "k-sync:3"' -p k-sync:3 "${replay[@]}"
    refuses 3 '--model: model here is "hinge", the run was recorded with "softmax"' -m hinge "${replay[@]}"
    refuses 3 '--step: step here is "const:0.1", the run was recorded with "const:0.003"' -e 0.1 "${replay[@]}"
    refuses 3 '--batch: b here is 16, the run was recorded with 32' -b 16 "${replay[@]}"
    refuses 3 '--seed: seed here is "2", the run was recorded with "1"' -s 2 "${replay[@]}"
    refuses 3 '--l2: l2 here is 0.5, the run was recorded with 0.0' --l2 0.5 "${replay[@]}"
    refuses 3 '--clip: clip here is 3.0, the run was recorded with null' --clip 3 "${replay[@]}"
    refuses 3 '--no-bias: bias here is false, the run was recorded with true' --no-bias "${replay[@]}"
    refuses 3 '--init: init here is "normal"' --init normal "${replay[@]}"
    refuses 3 '--updates: updates here is 30, the run was recorded with 20' -J 30 "${replay[@]}"
    refuses 3 '--time: time here is 3.0, the run was recorded with null' -T 3 "${replay[@]}"
    refuses 3 '--workers: P here is 3, the run was recorded with 4' -P 3 "${replay[@]}"
    refuses 2 '--delay: a replay has the times of its trace' -d const:1s "${replay[@]}"
    refuses 2 '--comm: a replay has the times of its trace' --comm const:1s "${replay[@]}"
}

@test "rows that are not those of the run are refused by what differs" {
    real sync -J 5
    cp "$folder"/shard-* .
    refuses 2 'no shard was named' --replay run.trace
    refuses 3 "run.trace: worker 2: no file here has the 359 rows with crc32 " --replay run.trace shard-0 shard-1 shard-3
    dsgd-shard -q -s 2 -n 4 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
    refuses 3 "of '$folder/shard-0'" --replay run.trace shard-*
    dsgd-ps -q -P 4 -m softmax -e 0.003 -J 5 -o model -t run.trace -x "dsgd-worker -q shard-%r"
    dsgd-shard -q -s 3 -n 4 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
    refuses 3 "of 'shard-0': that of this name has 360 rows with crc32 " --replay run.trace shard-*
}

@test "a run computed by another kernel or BLAS is refused by its name" {
    real sync -J 5
    sed '1s/"kernel":"[^"]*"/"kernel":"quantum"/' run.trace > kernel.trace
    refuses 3 "kernel.trace:1: the run was computed with kernel 'quantum', here is '" --replay kernel.trace "${shards[@]}"
    sed '1s/"blas":"[^"]*"/"blas":["abacus","abacus"]/' run.trace > blas.trace
    refuses 3 "blas.trace:1: the run was computed with blas 'abacus', here is '" --replay blas.trace "${shards[@]}"
}

@test "a trace that does not follow from itself is refused at its line, by what differs" {
    dsgd-sim -q -m softmax -p async -e 0.003 -J 20 -d const:1s -t run.trace -o model "${shards[@]}"
    # Line 1 is the run, line 2 the columns; a join and a send for each worker; then push, update, send.
    awk -F '\t' -v OFS='\t' 'NR == 14 { $11 = 2.25 } { print }' run.trace > loss.trace
    refuses 3 "loss.trace:14: push: loss is 2." --replay loss.trace "${shards[@]}"
    awk -F '\t' -v OFS='\t' 'NR == 14 { $7 = 0 } { print }' run.trace > stale.trace
    refuses 3 "stale.trace:14: push: staleness is 1 here, 0 in the trace" --replay stale.trace "${shards[@]}"
    awk -F '\t' -v OFS='\t' 'NR == 14 { $4 = 7 } { print }' run.trace > seq.trace
    refuses 3 "seq.trace:14: a gradient of minibatch 7, which was not its to make" --replay seq.trace "${shards[@]}"
    awk 'NR != 15' run.trace > gap.trace
    refuses 3 "gap.trace:15: what follows here is update, in the trace send" --replay gap.trace "${shards[@]}"
    awk 'NR != 11' run.trace > missing.trace
    refuses 3 "missing.trace:11: update: nothing before it has made it come about here" --replay missing.trace "${shards[@]}"
    awk -F '\t' -v OFS='\t' 'NR == 14 { $3 = 4 } { print }' run.trace > worker.trace
    refuses 3 "worker.trace:14: worker 4 of 4" --replay worker.trace "${shards[@]}"
    awk 'NR == 3 { print } { print }' run.trace > twice.trace
    refuses 3 "twice.trace:4: " --replay twice.trace "${shards[@]}"
    sed '1s/"P":4/"P":"four"/' run.trace > p.trace
    refuses 3 'p.trace:1: "P": must be a number of workers' --replay p.trace "${shards[@]}"
    sed '1s/"step":"[^"]*"/"step":"hop:3"/' run.trace > step.trace
    refuses 3 "step.trace:1: \"step\": unknown step 'hop'" --replay step.trace "${shards[@]}"
    refuses 3 "not a trace" --replay "$top_srcdir/README" "${shards[@]}"
    refuses 4 "no-such-trace" --replay no-such-trace "${shards[@]}"
}

@test "a trace that was cut off gives the model of its last whole line, and says so" {
    dsgd-sim -q -m softmax -p async -e 0.003 -J 20 -S 10 -d const:1s -t run.trace "${shards[@]}" > snapshots
    awk -F '\t' '{ print } $2 == "update" && $6 == 10 { exit }' run.trace > cut.trace
    printf '11.0000' >> cut.trace
    run -0 --separate-stderr dsgd-sim --replay cut.trace -o model "${shards[@]}"
    [[ ${stderr_lines[0]} == "dsgd-sim: cut.trace ends without its stop line: this is the run up to line "* ]]
    dsgd-eval "${shards[0]}" < snapshots > curve
    dsgd-eval -m model "${shards[0]}" > last
    run -0 diff <(sed -n 3p curve) <(tail -n 1 last)
}

@test "times and staleness are replayed without a model" {
    real k-async:2 -J 20
    run -0 dsgd-sim --no-model --replay run.trace -t again.trace
    assert_line --index 0 --partial ": 20 updates in "
    cmp run.trace again.trace
    real k-sync:2 -E 1 -b 50
    dsgd-sim -q --no-model --replay run.trace -t again.trace
    cmp run.trace again.trace
    dsgd-sim -q --no-model -p ssp:1 -P 3 -d exp:mean=1s -J 50 -t run.trace
    run -0 dsgd-sim --replay run.trace -t again.trace
    cmp run.trace again.trace
    run -2 dsgd-sim --replay run.trace "${shards[@]}"
    awk -F '\t' -v OFS='\t' '$2 == "push" && $6 == 9 { $7 = 5 } { print }' run.trace > other.trace
    run -3 dsgd-sim --replay other.trace
    assert_output --partial "staleness"
}

@test "a trace on stdin is replayed" {
    real async -J 20
    dsgd-sim -q --replay - -o again "${shards[@]}" < run.trace
    cmp model again
}
