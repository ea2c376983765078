#!/usr/bin/env bats
# Entries on the wire: what is sent of sparse rows goes with what is not 0 in them, and changes no bit of a run.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/fake.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# A shard of 60 rows with N numbers each, among so many features.
#   rows FILE N FEATURES
rows() {
    awk -v n="$2" -v features="$3" 'BEGIN {
        for (i = 0; i < 60; i++) {
            printf "%d", i % 2 ? 1 : -1
            for (j = 0; j < n; j++)
                printf " %d:%.3f", (j + 1) * int(features / n) - (7 * i + 3 * j) % int(features / n), 0.1 + (i * j % 9) / 7
            print ""
        }
    }' | dsgd-shard -q -o "$1" -
}

# Bytes to a worker and from it, of so many gradients of 1 row.
#   told SHARD GRADIENTS OPTION...
told() {
    dsgd-ps -q -m logistic -P 1 -b 1 -e 0.1 -J "$2" -o model -x "tee to | dsgd-worker -q $1 | tee from" "${@:3}"
    stat -c %s to from
}

@test "bytes on the wire go with the non-zeros, not with the features" {
    rows narrow 10 2000
    rows wide 10 200000
    rows full 40 200000
    local a b c
    mapfile -t a < <(told narrow 50 -p async)
    mapfile -t b < <(told wide 50 -p async)
    mapfile -t c < <(told full 50 -p async)
    echo "${a[@]} ${b[@]} ${c[@]}"
    # frames of 40 bytes and 32 of work, or 8 of a version; 8 bytes a number and the bias; once all parameters
    ((b[1] < 50 * (72 + 8 * 11) + 2000 && b[0] - 800000 < 50 * (48 + 8 * 11) + 2000))
    # heartbeats are less than one gradient in ten
    ((b[1] - a[1] < 1000 && a[1] - b[1] < 1000))
    ((c[1] - b[1] > 49 * 8 * 30 && c[1] - b[1] < 51 * 8 * 30 + 1000))
}

@test "where every update changes all parameters, gradients are entries all the same" {
    rows wide 10 200000
    local n
    mapfile -t n < <(told wide 10 --l2 0.001)
    echo "${n[@]}"
    ((n[1] < 10 * (72 + 8 * 11) + 2000 && n[0] > 7500000))
    awk 'BEGIN { srand(1); for (; i < 40; i++) { printf "%d", i % 2; for (j = 0; j < 30; j++) printf ",%g", rand(); print "" } }' |
        dsgd-shard -q -f csv --no-header --label-column 1 -o dense -
    mapfile -t n < <(told dense 50)
    ((n[1] >= 50 * (72 + 4 * 31)))
}

# Two workers, whose words go through what does not let the server know of entries.
#   plain OPTION...
plain() {
    dsgd-ps -q -m logistic -b 4 -P 2 -x 'dsgd-worker -q rows-%r | $top_builddir/tests/older' "$@"
}

entries() {
    dsgd-ps -q -m logistic -b 4 -P 2 -x 'exec dsgd-worker -q rows-%r' "$@"
}

same_model() {
    cmp <(tail -c 12004 "$1") <(tail -c 12004 "$2")
}

@test "a run with entries is the one without, also when it goes on from a checkpoint, and is replayed" {
    rows rows-0 10 3000
    rows rows-1 7 3000
    local how
    for how in '-p sync' '-p sync -O adam --l2 0.01 --clip 0.5'; do
        echo "$how"
        rm -f ck run.trace
        # shellcheck disable=SC2086 # options and their values
        plain $how -e 0.1 -J 20 -o plain -t plain.trace
        # shellcheck disable=SC2086
        entries $how -e 0.1 -J 20 -o straight -t straight.trace
        # shellcheck disable=SC2086
        entries $how -e 0.1 -J 9 -o part -t run.trace -C ck
        # shellcheck disable=SC2086
        plain $how -e 0.1 -J 14 -o part -t run.trace -C ck --resume
        # shellcheck disable=SC2086
        entries $how -e 0.1 -J 20 -o model -t run.trace -C ck --resume
        same_model plain straight
        same_model plain model
        dsgd-sim -q --replay run.trace -o again -t again.trace rows-0 rows-1
        cmp model again
        cmp run.trace again.trace
    done
}

@test "runs with entries under the other policies are replayed to the same bytes" {
    rows rows-0 10 3000
    rows rows-1 7 3000
    local how
    for how in '-p k-sync:1' '-p async' '-p k-batch-async:2 --correct dc' '-p async -e staleness-inverse:0.1'; do
        echo "$how"
        # shellcheck disable=SC2086 # options and their values
        entries -e 0.1 $how -J 40 -o model -t run.trace
        identities
        dsgd-sim -q --replay run.trace -o again -t again.trace rows-0 rows-1
        cmp model again
        cmp run.trace again.trace
    done
}

# A server for one wire that knows entries, of 40 features, as far as the first parameters.
knows() {
    serve ps dsgd-ps -m logistic -P 1 -e 1 -o model -l "unix:$PWD/sock" "$@"
    greet
}

greet() {
    wire w0
    tell w0 sparse
    tell w0 hello 0 40 100 -1 +1
    hears w0 "welcome 0 1"
    hears w0 params
}

@test "a worker gets what changed since the parameters that it has, and all of them after it was away" {
    knows -p async -J 4
    tell w0 entries 0 0 3:1 7:-2
    hears w0 "params 1 1 since 0 3:-1 7:2"
    tell w0 entries 1 1
    hears w0 "params 2 2 since 1"
    [ "$heard" = "params 2 2 since 1" ]
    hang_up w0
    said 'is lost'
    greet
    [ "$heard" = "params 2 3 full" ]
    tell w0 grad 2 3 0.5
    hears w0 "params 3 4 full"
    tell w0 entries 3 4 0:1
    hears w0 bye
    hang_up w0
    wait "$server"
    [ "$(tail -c 164 model | head -c 4 | od -An -tf4 | tr -d ' ')" = -1.5 ]
}

@test "what changed is told since the last parameters that went out, not since those that were replaced" {
    serve ps dsgd-ps -m logistic -P 2 -e 1 -J 4 -p k-sync:1 -o model -l "unix:$PWD/sock"
    local r
    for r in 0 1; do
        wire w$r
        tell w$r sparse
        tell w$r hello $r 2000000 100 -1 +1 # more than a socket takes
    done
    for r in 0 1; do
        hears w$r "welcome $r 2"
    done
    hears w1 "params 0 0 full"
    for r in 0 1 2; do
        tell w1 entries $r $r $r:1
        hears w1 "params $((r + 1)) $((r + 1)) since $r $r:-1"
    done
    hears w0 "params 0 0 full"
    hears w0 "params 3 3 since 0 0:-1 1:-1 2:-1"
    tell w1 entries 3 3 9:1
    hears w1 bye
    hang_up w1
    hang_up w0
    wait "$server"
}

@test "one that does not know entries gets all parameters, whatever others send" {
    serve ps dsgd-ps -m logistic -P 1 -e 1 -J 2 -p async -o model -l "unix:$PWD/sock"
    enter 0
    start 1
    tell w0 grad 0 0 0
    hears w0 "params 1 1 full"
    tell w0 entries 1 1 1:1
    hears w0 "error 5 a gradient of 40 bytes; this run's have 48"
    hang_up w0
}

@test "entries out of order or of no parameter, parts of one, and more than there is room for are refused" {
    local lost=0 frame why
    knows -p async -J 1
    while IFS='|' read -r frame why; do
        tell w0 $frame
        hears w0 "error 5 $why"
        hang_up w0
        lost=$((lost + 1))
        were_lost() { [ "$(grep -c 'is lost' ps.err)" -eq $lost ]; }
        eventually were_lost
        greet
    done << X
entries 0 $lost 3:1 3:1|a gradient: entry 1 has number 3 behind 3 of 41 parameters
entries 0 1 4:1 3:1|a gradient: entry 1 has number 3 behind 4 of 41 parameters
entries 0 2 41:1|a gradient: entry 0 has number 41 behind -1 of 41 parameters
entries 0 3 4294967295:1|a gradient: entry 0 has number 4294967295 behind -1 of 41 parameters
header 4 204 1|a gradient of 204 bytes; this run's have 196
header 4 1099511627776 1|a gradient of 1099511627776 bytes; this run's have 196
header 4 31 1|a gradient of 31 bytes; this run's have 196
X
    tell w0 entries 0 7 40:1
    hears w0 bye
    hang_up w0
    wait "$server"
}

@test "a gradient of entries that is not finite ends the run, as any" {
    knows -p async -J 9
    tell w0 entries 0 0 5:nan
    hears w0 "error 1 update 1: a gradient of worker 0 is not a finite number"
    hang_up w0
    local status=0
    wait "$server" || status=$?
    [ $status -eq 1 ]
}

# A worker whose server sends these words after the parameters ends with status 5, and says this.
#   misled WORDS TEXT
misled() {
    fake accept welcome full=0,0 hear "$1" hear end
    run -5 --separate-stderr dsgd-worker -c unix:s --connect-timeout 1s d.svm
    [[ $stderr == *"$2"* ]] || fail "$1: $stderr"
    wait "$fake" || true
    rm -f s
}

@test "a worker takes changes of what it has, and nothing else for that" {
    awk 'BEGIN { for (; i < 10; i++) printf "%d 1:%g 3:%g\n", i % 2, i / 10, i * i % 7 }' > d.svm
    fake accept welcome full=0,0 hear since=1,1,0,0:2,7:1 hear same=1,2 hear bye hear end
    dsgd-worker -c unix:s d.svm
    heard
    [ "$(grep -c '^grad version=1' fake.out)" = 2 ]
    [ "$(grep -c 'loss=0.6931' fake.out)" = 1 ]
    misled since=2,1,1,0:2 'changes of version 1, which is not here'
    misled since=1,1,0,3:2,3:1 'entry 1 has number 3 behind 3 of 8 parameters'
    misled since=1,1,0,8:2 'entry 0 has number 8 behind -1 of 8 parameters'
    misled since=1,1,0,1:1,2:1,3:1,4:1,5:1 'changes of 48 bytes, the model here has 32'
}
