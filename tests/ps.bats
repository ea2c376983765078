#!/usr/bin/env bats
# dsgd-ps: its command line, the workers it starts, its output, how it ends, and peers that are not ours.

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

# One line on stderr and nothing on stdout, with status STATUS.
#   refused STATUS TEXT OPTION...
refused() {
    local status=$1 text=$2
    shift 2
    run -"$status" --separate-stderr dsgd-ps "$@"
    assert_output ""
    [ "${#stderr_lines[@]}" -eq 1 ] || fail "$stderr"
    [[ $stderr == "dsgd-ps: "*"$text"* ]] || fail "$stderr"
}

iterations() {
    dsgd-eval "$(data 16-uneven-shards-end/a.svm)" < "$1" | awk 'NR > 1 { printf "%s ", $1 }'
}

@test "a command line that is not whole is refused with what is missing" {
    refused 2 "-m is missing"
    refused 2 "an end is missing" -m logistic -x true
    refused 2 "-P is missing" -m logistic -J 1 -l unix:sock
    refused 2 "operand 'x'" -m logistic -J 1 -x true x
}

@test "a value that is wrong is refused with the option and the text" {
    refused 2 "'0'" -m logistic -J 0
    refused 2 "'1e2.5'" -m logistic -J 1e2.5
    refused 2 "'-1'" -m logistic -J 1 -P -1
    refused 2 "'0s'" -m logistic -T 0s
    refused 2 "'soon'" -m logistic -J 1 -S soon
    refused 2 "'0.5'" -m logistic -J 1 -S 0.5
    refused 2 "wait, shrink, fail" -m logistic -J 1 --on-loss hope
    refused 2 "softmax" -m forest -J 1
}

@test "K that does not fit the number of workers is refused with both numbers" {
    refused 2 "policy 'k-sync:9': K=9 with 8 workers" -m logistic -J 1 -p k-sync:9 -P 8 -l unix:sock -o model
    refused 2 "K=3 with 2 workers" -m logistic -J 1 -p k-async:3 -x true -x true -o model
}

@test "the tables can be asked for" {
    local o
    for o in policy model step optimizer init on-loss; do
        run -0 dsgd-ps "--$o=help"
        assert_line --regexp '^[a-z]'
    done
}

@test "a command's directives are rank, number of workers and %; another is refused" {
    refused 2 "'%z' is not known" -m logistic -J 1 -x 'dsgd-worker %z' -o model
    refused 2 "'%' is not known" -m logistic -J 1 -x 'dsgd-worker %' -o model
    shards 3
    dsgd-ps -q -P 3 -m logistic -J 1 -o model \
        -x 'echo "%r of %P %% $DSGD_PS $DSGD_RANK" > said-%r; exec dsgd-worker shard-%r'
    run -0 cat said-0 said-1 said-2
    assert_output $'0 of 3 % stdio 0\n1 of 3 % stdio 1\n2 of 3 % stdio 2'
}

@test "a worker's command may have filters in front and behind, and its descriptors stay as they are" {
    command -v python3 > /dev/null || skip 'no python3'
    shards 4
    printf 'import fcntl, os\nfor fd in 0, 1: assert not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK\n' > flags.py
    run -0 dsgd-ps -q -m logistic -J 300 -p ssp:20 -o model -t run.trace \
        -x 'tee in-0 | dsgd-worker shard-0' -x 'dsgd-worker shard-1 | tee out-1' \
        -x 'cat | dsgd-worker shard-2 | cat' -x 'dsgd-worker shard-3; python3 flags.py && touch same'
    assert_output ''
    assert_file_exists same
    [ -s in-0 ] && [ -s out-1 ]
    [ "$(dsgd-trace summary run.trace | awk '$1 ~ /[0-9]/ && $3 > 0' | wc -l)" = 4 ]
    run -1 grep -c '	gone	' run.trace
}

@test "commands are ranks in their order; workers that nobody starts need -l" {
    refused 2 "1 worker is started (-x) of 3 (-P)" -m logistic -J 1 -P 3 -x true -o model
    refused 2 "2 commands (-x) for 1 worker" -m logistic -J 1 -P 1 -x true -x true -o model
    shards 2
    serve ps dsgd-ps -q -P 2 -m logistic -J 2 -o model -t run.trace -l "unix:$PWD/sock" -x 'exec dsgd-worker shard-0'
    run -0 dsgd-worker -q -c "$address" shard-1
    wait "$server"
    run -0 awk '$2 == "join" { print $3, $NF }' run.trace
    assert_output $'0 shard-0\n1 shard-1'
}

@test "a model is not written to a terminal" {
    command -v script > /dev/null || skip "no script(1)"
    run -2 script -qec "dsgd-ps -m logistic -J 1 -x true" /dev/null < /dev/null
    assert_output --partial "is a terminal"
    run -2 script -qec "dsgd-ps -m logistic -J 1 -x true -o model -S 1" /dev/null < /dev/null
}

@test "a terminal shows how far the run is; anything else does not" {
    command -v script > /dev/null || skip "no script(1)"
    shards
    local run="dsgd-ps -m logistic -T 1200ms -J 1000000 -o model -x 'dsgd-worker -d const:5ms shard-0'"
    run -0 script -qec "$run" /dev/null < /dev/null
    assert_output --regexp 'dsgd-ps: [0-9]+ of 1000000 updates, [0-9.]+ updates/s, 1 s left, loss 0\.[0-9]+'
    run -0 bash -c "$run"
    refute_output --partial left
    run -0 script -qec "$run -q" /dev/null < /dev/null
    assert_output ""
}

@test "files that cannot be written are told before a worker starts" {
    refused 4 "no/model" -m logistic -J 1 -x 'touch started' -o no/model
    refused 4 "no/trace" -m logistic -J 1 -x 'touch started' -o model -t no/trace
    [ ! -e started ]
    [ ! -e model ]
}

@test "a run by time ends in time, one by passes when all are done" {
    shards 2
    run -0 dsgd-ps -m logistic -T 200ms -o model -t run.trace -x 'dsgd-worker -d const:1ms shard-%r' -P 2
    run -0 awk -F '\t' '$2 == "stop" { print $12; exit !($1 >= 0.2) }' run.trace
    assert_output time
    run -0 dsgd-ps -q -m logistic -E 3 -b 2 -o model -t run.trace -x 'dsgd-worker shard-%r' -P 2
    run -0 awk -F '\t' '$2 == "stop" { print $12 }' run.trace
    assert_output passes
}

@test "SIGTERM stops the run in order: last snapshot, trace, workers, and death by that signal" {
    shards 2
    dsgd-ps -m logistic -J 1000000 -S 1000000 -o model -t run.trace \
        -x 'dsgd-worker -d const:2ms shard-%r; echo $? > status-%r' -P 2 > stream 2> err 3>&- &
    local ps=$! ended=0
    eventually grep -qs $'\tupdate\t' run.trace
    kill -TERM $ps
    wait $ps || ended=$?
    [ "$ended" -eq 143 ]
    run -0 cat status-0 status-1
    assert_output $'0\n0'
    run -0 grep -c 'stop	.*SIGTERM' run.trace
    [ ! -e model ]
    [ "$(find . -name 'model*')" = "" ]
    run -0 grep -o 'SIGTERM: stopping after update [0-9]*' err
    run -0 iterations stream
    assert_output --regexp "^0 [0-9]+ $"
    run -0 awk -F '\t' -v n="${output#0 }" '$2 == "stop" { exit $6 != n + 0 }' run.trace
}

@test "a second signal ends it at once, and what it started with it" {
    shards
    mkfifo never
    dsgd-ps -q -m logistic -J 1000000 -o model --drain-timeout 60s -x 'trap "" TERM; echo $$ > pid; dsgd-worker shard-0; cat never' \
        -t run.trace 3>&- &
    local ps=$! ended=0
    eventually grep -qs '^# dsgd-trace' run.trace
    kill -INT $ps 2> /dev/null || true
    eventually grep -q stop run.trace
    kill -TERM $ps
    wait $ps || ended=$?
    [ "$ended" -eq 143 ]
    run ! kill -0 "$(cat pid)"
}

@test "a worker that ends before the start ends the run with its status" {
    shards
    run -5 dsgd-ps -m logistic -J 1 -o model -x 'dsgd-worker -q shard-0' -x 'exit 7'
    assert_line "dsgd-ps: worker 1 ('exit 7') ended with status 7 before the start"
    run -5 dsgd-ps -m logistic -J 1 -o model -x 'dsgd-worker shard-9'
    assert_line --regexp "^dsgd-worker: shard-9: "
    assert_line --regexp "^dsgd-ps: worker 0 \('dsgd-worker shard-9'\) ended with status [34] before the start$"
}

@test "workers that do not leave are ended, and failures of commands are told" {
    shards
    mkfifo never
    run -0 dsgd-ps -m logistic -J 1 -o model -x 'dsgd-worker shard-0; exit 7'
    assert_line "dsgd-ps: worker 0 ('dsgd-worker shard-0; exit 7') ended with status 7"
    run -0 dsgd-ps -m logistic -J 1 -o model --drain-timeout 50ms -x 'echo $$ > pid; dsgd-worker shard-0; cat never'
    assert_line --partial "did not leave within 0.05 s"
    run ! kill -0 "$(cat pid)"
    run -0 dsgd-ps -m logistic -J 1 -o model --drain-timeout 50ms -x 'trap "" TERM; echo $$ > pid; dsgd-worker shard-0; cat never; true'
    run ! kill -0 "$(cat pid)"
}

@test "labels that do not fit the model are refused before the first update, with their place" {
    local f
    for f in three mixed; do
        run -3 dsgd-ps -m logistic -J 1 -o model -x "dsgd-worker $(data 12-label-sets/$f.svm)"
        assert_line --regexp "^dsgd-ps: .*$f.svm:3: "
        [ ! -e model ]
    done
    run -3 dsgd-ps -m logistic -J 1 -o model -x "dsgd-worker $(data 12-label-sets/zero-one.svm)" \
        -x "dsgd-worker $(data 12-label-sets/plus-minus.svm)"
    assert_line --regexp "^dsgd-ps: .*: more than two classes"
}

@test "too few workers in time: status 5 and both numbers" {
    serve ps dsgd-ps -m logistic -P 2 -l "unix:$PWD/sock" -J 1 -o model --join-timeout 2s
    enter 0
    hears w0 "error 5 1 of 2 workers joined within 2 s"
    hang_up w0
    local ended=0
    wait "$server" || ended=$?
    assert_equal "$ended" 5
    run -0 cat ps.err
    assert_output "dsgd-ps: 1 of 2 workers joined within 2 s (--join-timeout)"
}

@test "a unix socket is its owner's alone, and gone with the server" {
    shards
    serve ps dsgd-ps -q -m logistic -P 1 -l "unix:$PWD/sock" -J 1 -o model
    [ "$address" = "unix:$PWD/sock" ]
    [ "$(stat -c %a sock)" = 600 ]
    run -0 dsgd-worker -q -c "$address" shard-0
    wait "$server"
    [ ! -e sock ]
}

@test "a tcp address has a token, without which nobody joins" {
    shards
    serve ps dsgd-ps -m logistic -P 1 -l tcp:127.0.0.1:0 -J 1 -o model --address-file where
    [[ $address =~ ^tcp:127\.0\.0\.1:[0-9]+/[0-9a-f]{32}$ ]]
    [ "$(stat -c %a where)" = 600 ]
    [ "$(cat where)" = "$address" ]
    wire thief "${address%/*}"
    tell thief hello 0 3 100 -1 +1
    hears thief "error 5 the token is not that of this server"
    hears thief closed
    wire liar "${address%/*}/00000000000000000000000000000000"
    tell liar text notatoken
    hang_up thief
    hang_up liar
    run -0 dsgd-worker -q -c @where shard-0
    wait "$server"
    run ! grep -q "${address##*/}" ps.err
}

@test "other machines are refused without --insecure, which says so" {
    refused 2 "--insecure" -m logistic -P 1 -J 1 -o model -l tcp:0.0.0.0:0
    serve ps dsgd-ps -m logistic -P 1 -J 1 -o model -l tcp:127.0.0.1:0 --insecure
    [[ $address =~ ^tcp:127\.0\.0\.1:[0-9]+$ ]]
    run -0 grep -- --insecure ps.err
    enter 0
    start 1
    tell w0 grad 0 0 1
    hears w0 bye
    hang_up w0
    wait "$server"
}

@test "connections that say nothing are limited, the oldest go first, and workers still join" {
    shards
    serve ps dsgd-ps -q -m logistic -P 1 -J 1 -o model -l tcp:127.0.0.1:0
    local port=${address#tcp:127.0.0.1:} i fd fds=()
    port=${port%/*}
    for ((i = 0; i < 66; i++)); do
        exec {fd}<> "/dev/tcp/127.0.0.1/$port"
        fds+=("$fd")
    done
    run -0 timeout 10 cat <&"${fds[0]}"
    run -0 dsgd-worker -q -c "$address" shard-0
    for fd in "${fds[@]}"; do
        exec {fd}>&-
    done
    wait "$server"
}

@test "peers that are not ours are told so and closed, and the others go on" {
    serve ps dsgd-ps -m logistic -P 1 -J 1 -o model -l "unix:$PWD/sock" --run mine
    wire a
    tell a text "GET_/_HTTP/1.1____________________________________________"
    hears a "error 5 not a dsgd peer"
    wire b
    tell b protocol 9
    hears b "error 5 protocol 9, this is 1"
    wire c
    tell c header 4 1000000
    hears c "error 5 GRAD out of place: HELLO comes first"
    wire d
    tell d header 1 999999999999
    hears d "error 5 HELLO of 999999999999 bytes"
    wire e
    tell e run other
    tell e hello 0 3 100 -1 +1
    hears e "error 5 it asks for run 'other', this is 'mine'"
    enter 0
    start 1
    tell w0 grad 0 0 1 99
    hears w0 "error 5 a gradient of 428 bytes; this run's have 48"
    said_lost() { grep -q "is lost after update 0" ps.err; }
    eventually said_lost
    hang_up w0
    enter 0
    hears w0 "welcome 0 1"
    hears w0 "params 0 1 full"
    tell w0 grad 0 1 1
    hears w0 bye
    for i in a b c d e w0; do
        hang_up $i
    done
    wait "$server"
}

@test "workers whose data were read in another way are refused" {
    serve ps dsgd-ps -m logistic -P 2 -J 1 -o model -l "unix:$PWD/sock" --join-timeout 5s
    wire a
    tell a data '{"base":"1"}'
    tell a hello 0 3 100 -1 +1
    wire b
    tell b data '{"base":"0"}'
    tell b hello 1 3 100 -1 +1
    hears b "error 3 "
    [[ $heard == *'base "0"'*'"1"'* ]]
    kill -TERM "$server"
    hears a bye
    hang_up a
    hang_up b
    local ended=0
    wait "$server" || ended=$?
    [ "$ended" -eq 143 ]
}

@test "a model that is larger than the memory is refused before it is made, with the figures" {
    local i what='a model of 644245094400 parameters, with its gradients in'
    for i in {0..299}; do
        echo "$i 2147483647:1"
    done > wide.svm
    run -4 --separate-stderr dsgd-ps -m softmax -J 1 -o model -x 'dsgd-worker -q wide.svm'
    [[ $stderr == *"dsgd-ps: $what 4 copies"*' needs 10307.9 GB; this machine has '*' GB' ]] || fail "$stderr"
    run -4 dsgd-sim -m softmax -J 1 -d exp:1 -o model wide.svm
    assert_output --partial "dsgd-sim: $what"
    assert_not_exists model
}
