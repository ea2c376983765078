#!/usr/bin/env bats
# Two servers that are told the same files: the second is refused, or leaves what is not its own.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
    dsgd-shard -q "$(data 16-uneven-shards-end/a.svm)"
}

teardown() {
    leave_nothing
}

# A run of one worker; its words are in NAME.err.
#   run_on NAME OPTION...
run_on() {
    local name=$1
    shift
    background "$name" dsgd-ps -q -m logistic -o "$name" -T 1h -x 'exec dsgd-worker -q -d const:5ms shard-0' "$@"
    server=$!
}

ends() {
    local status=0
    wait "$server" || status=$?
    assert_equal "$status" "$1"
}

stopped() {
    [[ "$(ps -o stat= -p "$server")" = T* ]]
}

@test "a trace that a server writes is not another's, whether that goes on or begins, and also while the first is stopped" {
    run_on first -t run.trace -C ck --checkpoint-every 5
    eventually [ -s ck ]
    kill -STOP "$server"
    eventually stopped
    for how in -q --resume; do
        run -4 timeout 60 dsgd-ps -q -m logistic -o other -J 10 -t run.trace -C other.ck "$how" -x 'exec dsgd-worker -q shard-0'
        assert_output "dsgd-ps: run.trace: another program that still runs writes it; end that one, or name another file"
    done
    kill -CONT "$server"
    kill -TERM "$server"
    ends 143
    identities
    dsgd-sim -q --replay run.trace -o again shard-0
}

@test "nor is a checkpoint, and a server that another has taken it from writes none" {
    run_on first -C ck --checkpoint-every 5
    eventually [ -s ck ]
    run -4 timeout 60 dsgd-ps -q -m logistic -o other -J 10 -C ck --resume -x 'exec dsgd-worker -q shard-0'
    assert_output "dsgd-ps: the checkpoint (-C): ck: another program that still runs writes it; end that one, or name another file"
    kill -KILL "$server"
    ends 137
    # Whoever goes on after a kill is not held up by it.
    dsgd-ps -q -m logistic -o second -J 100 -C ck --resume --checkpoint-every 5 -x 'exec dsgd-worker -q shard-0'
    background third dsgd-ps -m logistic -o third -T 1h -C ck --checkpoint-every 5 -x 'exec dsgd-worker -q -d const:5ms shard-0'
    server=$!
    begun() { [ "$(dsgd-eval -m ck shard-0 | awk 'NR == 2 { print $1 }')" -lt 100 ]; }
    eventually begun
    # Between its look and its rename the server may still replace the file.
    taken() {
        cp ck stolen
        mv stolen ck
        grep -q 'ck: another program has written it since; end one of the two; the run goes on' third.err
    }
    eventually taken
    kill -TERM "$server"
    ends 143
}

@test "the socket and the address file of a server stay when an older one of theirs ends" {
    local old
    background old dsgd-ps -m logistic -P 1 -o old -J 1 -l "unix:$PWD/sock" --address-file where
    old=$!
    eventually [ -s where ]
    mv sock aside
    background new dsgd-ps -q -m logistic -P 1 -o new -J 1 -l "unix:$PWD/sock" -l tcp:127.0.0.1:0 --address-file where
    server=$!
    eventually grep -q tcp where
    kill -TERM "$old"
    wait "$old" || true
    rm aside
    dsgd-worker -q -c "unix:$PWD/sock" shard-0
    ends 0
    assert_not_exist sock
    assert_not_exist where
}

@test "a server whose words nobody reads can be ended all the same, and leaves nothing half-written" {
    mkfifo words
    exec 9<> words
    dd if=/dev/zero of=words bs=4096 oflag=nonblock 2> /dev/null || true
    dsgd-ps -m logistic -o model -T 1h -t run.trace -x 'exec dsgd-worker -q shard-0 2> /dev/null' 2>&9 3>&- 9>&- &
    server=$!
    echo "$server" >> .background
    begun() { grep -qs $'\tupdate\t' run.trace; }
    eventually begun
    kill -TERM "$server"
    over() { grep -qs $'\tstop\t' run.trace; }
    eventually over
    gone() { kill -TERM "$server" 2> /dev/null && ! kill -0 "$server" 2> /dev/null || [ ! -e "/proc/$server/stat" ] ||
        grep -q ') Z ' "/proc/$server/stat"; }
    eventually gone
    exec 9>&-
    ends 143
    run -0 find . -name '.model*'
    assert_output ''
}
