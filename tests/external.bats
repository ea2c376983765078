#!/usr/bin/env bats
# Gradients by a program of the user's: dsgd-worker --external, and models that only their file describes.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/fake.bash
    load lib/training.bash
    cd "$BATS_TEST_TMPDIR" || return
    python=/usr/bin/python3
    [ -x $python ] || python=$(command -v python3) || skip 'no python3'
    program="exec $python -S $top_srcdir/tests/lib/external.py"
    printf '%d 1:1 3:2\n' 0 1 0 1 0 1 0 1 0 1 > d.svm
}

teardown() {
    leave_nothing
    [ -z "$(processes)" ] || fail "programs are left: $(processes)"
}

# Command lines of what the programs of this test started and what they themselves are, zombies aside.
processes() {
    local pid
    for pid in $(grep -lszxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ | tr -dc '0-9\n'); do
        { tr '\0' ' ' < "/proc/$pid/cmdline"; } 2> /dev/null | grep -E 'external\.py|read -r line' || true
    done
}

no_programs() {
    [ -z "$(processes)" ]
}

# The program as a word for -x.
#   worker WORDS [OPTION]...
worker() {
    local words=$1
    shift
    echo "dsgd-worker --external '$program $words' $*"
}

start() {
    "$python" "$top_srcdir/tests/lib/external.py" "start=$1" > start.safetensors
}

show() {
    "$python" "$top_srcdir/tests/lib/external.py" "show=${1-model}"
}

@test "a model of any tensors is trained by a program, and keeps their names and shapes" {
    start 'layers.0.attention.weight:2x3,bias:2,scale:,deep:1x1x2x1x2,none:0x4'
    dsgd-ps -q -m external:start.safetensors -P 2 -e 0.5 -J 2 -S 1 -o model -x "$(worker '' d.svm) # %r" > snapshots
    run -0 show
    assert_output - <<'X'
layers.0.attention.weight 2x3 0.75 0.75 0.75 0.75 0.75 0.75
bias 2 0.75 0.75
scale - 0.75
deep 1x1x2x1x2 0.75 0.75 0.75 0.75
none 0x4
X
    [ "$(wc -c < snapshots)" -gt $((2 * $(wc -c < model))) ]
    dsgd-ps -q -m external:model -e 0.5 -J 1 -o more -x "$(worker '' d.svm)"
    run -0 show more
    assert_line 'bias 2 0.875 0.875'
    dsgd-ps -q -m external:start.safetensors --init file:model -e 0.5 -J 1 -o more -x "$(worker '' d.svm)"
    run -0 show more
    assert_line 'scale - 0.875'
}

@test "--l2 is for tensors of two dimensions or more, and an optimizer for all" {
    start 'weight:1x1,bias:1,deep:1x1x1,scale:'
    dsgd-ps -q -m external:start.safetensors -e 0.5 -J 2 --l2 1 -o model -x "$(worker '' d.svm)"
    run -0 show
    assert_output $'weight 1x1 0.5\nbias 1 0.75\ndeep 1x1x1 0.5\nscale - 0.75'
    dsgd-ps -q -m external:start.safetensors -e 0.5 -J 2 -O momentum:0.5 -o model -x "$(worker '' d.svm)"
    run -0 show
    assert_output $'weight 1x1 1\nbias 1 1\ndeep 1x1x1 1\nscale - 1'
}

@test "the program gets parameters, rows, labels and what the run is" {
    start w:2
    printf 'a 1:1 3:2\nb 2:5\n' > words.svm
    dsgd-ps -q -m external:start.safetensors -b 2 -s 9 -J 2 -o model -x "$(worker log=log words.svm)"
    run -0 "$python" - <<'X'
import json
first, second = map(json.loads, open("log"))
assert first["meta"] == {"format": "dsgd-request 1", "seq": "0", "version": "0", "rows": "2", "rank": "0",
                         "workers": "1", "seed": "9", "features": "3", "classes": "2"}, first["meta"]
assert second["meta"]["seq"] == second["meta"]["version"] == "1"
t = first["tensors"]
assert {n: v[:2] for n, v in t.items()} == {
    "minibatch.rows": ["I64", [2]], "minibatch.labels": ["F64", [2]], "minibatch.classes": ["I64", [2]],
    "minibatch.indptr": ["I64", [3]], "w": ["F32", [2]], "minibatch.indices": ["I32", [3]],
    "minibatch.values": ["F32", [3]]}, t
rows = t["minibatch.rows"][2]
assert sorted(rows) == [0, 1] and t["minibatch.classes"][2] == rows, t
X
}

@test "a program with rows of its own needs no shard, and passes are counted by them" {
    start w:1
    dsgd-ps -q -m external:start.safetensors -b 4 -E 2 -o model -x "$(worker log=log --external-rows 10)"
    run -0 "$python" - <<'X'
import json
asked = [json.loads(line) for line in open("log")]
rows = [a["tensors"]["minibatch.rows"][2] for a in asked]
assert [len(r) for r in rows] == [4, 4, 2] * 2, rows
assert all(sorted(sum(part, [])) == list(range(10)) for part in (rows[:3], rows[3:])), rows
assert all(set(a["tensors"]) == {"minibatch.rows", "w"} for a in asked)
X
}

@test "a checkpoint of it is gone on from, with the optimizer's memory, and is a model to start from" {
    start w:2x2,b:2
    set -- -q -m external:start.safetensors -e 0.25 -O momentum:0.5 -x "$(worker '' d.svm)"
    dsgd-ps "$@" -J 5 -o whole
    dsgd-ps "$@" -J 2 -C checkpoint -o half
    rm start.safetensors
    dsgd-ps -q -J 5 -C checkpoint --resume -o resumed -x "$(worker '' d.svm)"
    diff <(show whole) <(show resumed)
    run ! diff <(show half) <(show resumed)
    dsgd-ps -q -m external:checkpoint -e 0.5 -J 1 -o more -x "$(worker '' d.svm)"
    run -0 show more
    assert_line --regexp '^w 2x2 '
    [ "${#lines[@]}" -eq 2 ]
}

@test "one update on all rows of other data tells the loss there, as the manual says" {
    start w:4
    printf '%d 1:1\n' 0 1 0 > other.svm
    run -0 dsgd-ps -m external:start.safetensors -b 1000000 -J 1 -o after -x "$(worker '' other.svm)"
    assert_line --partial 'last loss 2'
    assert_line --regexp '^all +1 +1 .* 3 '
}

@test "every policy runs with it and accounts for every gradient" {
    local policy
    start w:3
    for policy in $(every_policy); do
        echo "$policy"
        dsgd-ps -P 2 -p "${policy/:4/:2}" -m external:start.safetensors -J 20 -o model -t run.trace \
            -x "$(worker '' -d exp:mean=1ms d.svm) # %r" 2> err
        identities
        run -0 grep -c $'\tupdate\t' run.trace
        assert_output 20
        run ! grep -v -e '^dsgd-ps: 20 updates' -e '^worker ' -e '^[0-9a]' \
            -e '^dsgd-ps: [0-9]* rows were in minibatches thrown away' err
    done
}

@test "models larger than any pipe holds go both ways, while both sides write" {
    start a:1000x1000,b:2
    dsgd-ps -q -P 2 -p k-batch-sync:1 -m external:start.safetensors -e 0.5 -J 4 -o model \
        -x "$(worker '' --external-cancel record d.svm) # %r"
    run -0 show
    assert_output - <<'X'
a 1000x1000 0.9375 0.9375 0.9375 0.9375 0.9375 0.9375 0.9375 0.9375
b 2 0.9375 0.9375
X
}

@test "a program that dies is started again and gets the same minibatch" {
    local how limit why
    start w:2
    for how in die=1 cut=1 hang=1; do
        rm -f once log
        limit=1m why='ended with status 7'
        [ $how != hang=1 ] || limit=1s why='did not answer for 1 s'
        dsgd-ps -q -m external:start.safetensors -e 0.5 -J 3 -o model \
            -x "$(worker "$how once=once log=log" --external-timeout $limit d.svm)" 2> err
        run -0 show
        assert_output 'w 2 0.875 0.875'
        run -0 cat err
        assert_output "dsgd-worker: external program '$program $how once=once log=log' $why: it is started again (1 of 3)"
        run -0 "$python" -c 'import json; print(*(json.loads(line)["meta"]["seq"] for line in open("log")))'
        assert_output '0 1 1 2'
    done
}

@test "restarts are counted in a row: an answer between makes them none again" {
    start w:1
    run -0 dsgd-ps -q -m external:start.safetensors -e 0.5 -J 4 -o model \
        -x "$(worker die=1 --external-restarts 1 d.svm)"
    assert_equal "${#lines[@]}" 3
    run ! grep -v "ended with status 7: it is started again (1 of 1)$" <<< "$output"
    run -0 show
    assert_output 'w 1 0.9375'
}

@test "one that always dies, hangs or cannot be started ends the worker, with status 5" {
    local words options restarts want
    start w:2
    mkfifo never
    while IFS='|' read -r words options restarts want; do
        echo "$words"
        # shellcheck disable=SC2086 # words
        serve ps dsgd-ps -q -m external:start.safetensors -J 3 -P 1 -l "unix:$PWD/sock" -o model --on-loss fail
        # shellcheck disable=SC2086
        run -5 dsgd-worker -c "$address" --external "$words" $options d.svm
        assert_line --index -1 "dsgd-worker: external program '$words' $want"
        assert_equal "$(grep -c 'it is started again (' <<< "$output")" "$restarts"
        run -0 cat ps.err
        run ! wait "$server"
        rm -f ps.ready
    done <<ROWS
$program die=0||3|ended with status 7
$program die=0|--external-restarts 2|2|ended with status 7
$program die=0|--external-restarts 0|0|ended with status 7
kill -9 \$\$|--external-restarts 1|1|was ended by signal 9
exec /nowhere/program||0|ended with status 127
$program hang=0|--external-timeout 200ms --external-restarts 1|1|did not answer for 0.2 s
exec < /dev/null > /dev/null; read -r line < never|--external-restarts 0|0|was ended by signal 9
ROWS
}

@test "wrong answers end the worker with one line that says what is wrong, and the server hears it" {
    local word want
    start w:4,b:2
    while read -r word want; do
        run -5 dsgd-ps -m external:start.safetensors -J 3 -o model -x "$(worker "$word=0" d.svm)"
        assert_line "dsgd-worker: external program '$program $word=0': $want"
        assert_line --partial 'is lost after update 0: external program'
    done <<'ROWS'
text it wrote the text 'Epoch 1,...' instead of a safetensors record: what is for people belongs to its standard error
long it wrote what is no safetensors record: a header of 1099511627776 bytes, allowed are 2 to 1048576
json its answer: header: ':' expected near end of file at byte 9
dtype its answer: tensor 'w': F64, must be F32
name its answer: tensor 'other': the model has no such tensor
shape its answer: tensor 'w': 2 dimensions, that of the model has 1
less its answer: tensor 'w': missing
more its answer has 4000024 bytes of numbers, the model 24
rows its answer: metadata 'rows': 1000; the minibatch has 10
zero its answer: metadata 'rows': 0; the minibatch has 10
noloss its answer: metadata lack 'loss'
seq it answers minibatch 77, which nobody asks for
double it answers minibatch 0, which nobody asks for
ROWS
}

@test "a loss that is no number is the run's end, as with any worker" {
    start w:1
    run -1 dsgd-ps -m external:start.safetensors -J 3 -o model -x "$(worker nan=1 d.svm)"
    assert_line --partial 'update 2: the loss is not a finite number'
}

@test "what it says on its standard error comes with the rank in front" {
    start w:1
    dsgd-ps -q -m external:start.safetensors -P 2 -J 1 -o model \
        -x "dsgd-worker --external \"$program say=hello; printf 'no end' >&2\" d.svm # %r" 2> err || true
    dsgd-ps -q -m external:start.safetensors -P 2 -J 1 -o model -x "$(worker say=hello d.svm) # %r" 2> err
    run -0 sort err
    assert_output $'0: hello\n1: hello'
}

@test "a voided minibatch is confirmed at once; the answer to it is read and thrown away" {
    local how worker
    mkfifo go
    exec 8<> go
    for how in '' noseq; do
        fake accept welcome=3s full=0,0 beats=1 full=1,1 hear full=2,2 hear hear bye hear end
        background worker dsgd-worker -v -c unix:s --external "$program until=go log=log $how" d.svm
        worker=$!
        eventually grep -q 'cancelled version=1 seq=1 ' fake.out
        echo >&8
        heard
        assert_line --regexp '^cancelled version=0 seq=0 rows=0 .* compute=0\.[3-9]'
        assert_line --regexp '^grad version=2 seq=2 rows=2 loss=4.0000 '
        wait "$worker"
        run -0 cat worker.err
        assert_output --partial '1 answers of the external program were void'
    done
}

@test "a program can give up what is void, told by a newer record or a signal" {
    local how worker
    mkfifo told
    for how in record HUP INT TERM USR1 USR2; do
        fake accept welcome full=0,0 pipe=told full=1,1 hear hear bye hear end
        background worker dsgd-worker -c unix:s --external-cancel $how --external "$program quit hang=0 told=told" d.svm
        worker=$!
        heard
        assert_line --regexp '^cancelled version=0 seq=0 '
        assert_line --regexp '^grad version=1 seq=1 '
        wait "$worker"
        run -0 cat worker.err
        [ "$how" = record ] || how=" SIG$how"
        assert_output "0: quit${how#record}"
    done
}

@test "rows that a server wants wider than any memory end the worker" {
    printf '%d,2\n' 0 1 0 1 > d.csv
    fake accept outside=4611686018427387904 welcome full=0,0 end
    run -4 dsgd-worker -c unix:s --external "$program" --no-header --label-column 1 d.csv
    assert_output --partial 'out of memory'
    heard
}

@test "heartbeats go on while it computes, and the end of the run ends it" {
    fake accept welcome=3s full=0,0 beats=2 bye hear end
    run -0 --separate-stderr dsgd-worker -c unix:s --external "$program hang=0" d.svm
    [ -z "$output$stderr" ]
    heard
    assert_output --regexp 'bye version=0 seq=0 rows=0 '
}

@test "the program and all it started go with the worker, whatever ends that" {
    local signal worker
    for signal in TERM HUP KILL; do # INT is ignored in the background
        fake accept welcome=60s full=0,0 hear end
        background worker dsgd-worker -c unix:s --external "${program#exec } child hang=0; true" d.svm
        worker=$!
        eventually grep -q '^hello' fake.out
        eventually eval '[ "$(processes | grep -c .)" -ge 4 ]'
        kill -s $signal "$worker"
        wait "$worker" || true
        eventually no_programs
        wait "$fake" || true
    done
}

@test "a builtin model may be trained by programs as well, beside workers that compute themselves" {
    fake accept welcome full=0,0 hear bye hear end
    dsgd-worker -c unix:s --external "$program" d.svm
    heard
    assert_line --index 1 --regexp '^grad version=0 seq=0 rows=4 loss=4.0000 .* floats=8$'
}

@test "what cannot be is said before anything starts" {
    local status args want
    start w:1
    printf 'no record' > text
    "$python" "$top_srcdir/tests/lib/external.py" start=minibatch.x:2 > reserved
    while IFS='|' read -r status args want; do
        # shellcheck disable=SC2086 # words
        run "-$status" --separate-stderr $args < /dev/null
        [ -z "$output" ]
        [[ $stderr == *"$want"* ]] || fail "$args: $stderr"
    done <<'ROWS'
2|dsgd-worker -c unix:s --external true|--external: name shards, or give --external-rows
2|dsgd-worker -c unix:s --external true --external-rows 3 d.svm|the rows are those of the shards that are named
2|dsgd-worker -c unix:s --external-rows 3 d.svm|only an external program has rows of its own
2|dsgd-worker -c unix:s --external true --external-cancel QUIT d.svm|known are wait, record, and the signals HUP, INT, TERM, USR1, USR2
2|dsgd-ps -m external -J 1 -o m -x true|external needs path
4|dsgd-ps -m external:nothing -J 1 -o m -x true|nothing: No such file or directory
3|dsgd-ps -m external:text -J 1 -o m -x true|text: not a safetensors record
3|dsgd-ps -m external:reserved -J 1 -o m -x true|reserved: tensor 'minibatch.x': this name is taken
2|dsgd-sim -m external:start.safetensors -J 1 -d const:1s -o m d.svm|nothing here computes with it
2|dsgd-plan -m external:start.safetensors -P 2 -d const:1s --target-loss 1 d.svm|nothing here computes with it
ROWS
    run -5 dsgd-ps -m external:start.safetensors -J 1 -o m -x 'dsgd-worker d.svm'
    assert_line --partial "the model of this run is 'external:start.safetensors': give the program that computes its gradients by --external"
}

@test "a trace of it replays times and staleness, and its models are refused by what computes" {
    start w:1
    dsgd-ps -q -m external:start.safetensors -P 2 -p async -J 9 -t run.trace -o model -x "$(worker '' d.svm) # %r"
    run -3 dsgd-sim --replay run.trace -o m d.svm
    assert_output --partial 'came from a program (dsgd-worker --external): give --no-model'
    dsgd-sim -q --replay run.trace --no-model -t again
    diff <(grep -c update run.trace) <(grep -c update again)
    run -2 dsgd-eval -m model d.svm
    assert_output --regexp '^dsgd-eval: model: model external: nothing here computes with it, only .* was 0\.[0-9]*, that of other data'
    dsgd-eval -m model --export npz > model.npz
    [ -s model.npz ]
}

@test "a program that never stops writing to its standard error is timed out like any other" {
    start 'weight:2x3'
    try dsgd-ps -q -m external:start.safetensors -P 1 -J 2 -o model \
        -x "dsgd-worker -q --external 'yes >&2' --external-timeout 300ms --external-restarts 0 d.svm"
    assert_equal "$status" 5
    grep -q 'did not answer for 0.3 s' .stderr || fail "$(grep -v '^0: y' .stderr | head -n 3)"
}
