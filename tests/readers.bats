#!/usr/bin/env bats
# dsgd-ps never blocks on anybody: readers of its outputs that stop, go or never come, disks that are full, workers
# that stop reading.
# bats file_tags=timing

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
    dsgd-shard -q "$(data 16-uneven-shards-end/a.svm)"
}

teardown() {
    leave_nothing
}

# A run of one worker into `model`.
#   train OPTION...
train() {
    dsgd-ps -m logistic -o model -x 'exec dsgd-worker -q shard-0' "$@"
}

# The same in the background, its words in ps.err.
train_on() {
    dsgd-ps -m logistic -o model -x 'exec dsgd-worker -q shard-0' "$@" 2> ps.err 3>&- &
    server=$!
    echo "$server" >> .background
}

ends() {
    local status=0
    wait "$server" || status=$?
    assert_equal "$status" "$1"
}

iteration_of() {
    dsgd-eval -m "$1" shard-0 | awk 'NR == 2 { print $1 }'
}

# Updates in the whole lines of a trace.
updates() {
    head -n "$(wc -l < "$1")" "$1" | awk -F '\t' '$2 == "update" { n = $6 } END { print n + 0 }'
}

# The model is that of update N, or of the next one, whose gradient may still be in the trace.
#   replayed MODEL N
replayed() {
    local n
    n=$(iteration_of "$1")
    [ "$n" = "$2" ] || [ "$n" = $(($2 + 1)) ]
}

enough() {
    [ -e run.trace ] && [ "$(updates run.trace)" -ge "$1" ]
}

# Most memory that the server has had, in kB.
peak() {
    awk '/^VmHWM:/ { print $2 }' "/proc/$server/status"
}

@test "a trace that may not grow is told with the update at which it ends, and the run goes on to its model" {
    run -4 bash -c "ulimit -f 8; exec dsgd-ps -m logistic -J 400 -o model -t run.trace -C ck -x 'exec dsgd-worker -q shard-0'"
    local n
    n=$(updates run.trace)
    [ "$n" -gt 10 ] && [ "$n" -lt 400 ]
    assert_line "dsgd-ps: run.trace: File too large: the trace ends after update $n, and no replay goes beyond that"
    assert_line "dsgd-ps: the trace ends after update $n: run.trace: File too large"
    [ "$(iteration_of model)" = 400 ]
    dsgd-sim -q --replay run.trace -o again shard-0
    replayed again "$n"
    run -4 train -q -J 400 -t /dev/full
    assert_output "dsgd-ps: the trace ends after update 0: /dev/full: No space left on device"
    # A run that goes on from there leaves it as it is, for what comes now would leave a hole.
    cp run.trace was.trace
    run -4 train --resume -C ck -J 500 -t run.trace
    assert_line "dsgd-ps: run.trace: ends after update $n, where it could not be written; it stays as it is, and this run has no trace (name a new file)"
    cmp run.trace was.trace
    [ "$(iteration_of model)" = 500 ]
    run -4 train -q --resume -C ck -J 600 -t run.trace
    assert_output "dsgd-ps: the trace ends after update $n: run.trace: could not be written beyond"
    train -q --resume -C ck -J 700 -t new.trace
    [ "$(updates new.trace)" = 700 ]
    echo x >> was.trace
    sed -i 's/used/abused/; s/push/hush/' was.trace
    run -3 train -q --resume -C ck -J 700 -t was.trace
}

@test "a trace on a full disk waits for room, and when there is some nothing is missing" {
    mkdir disk
    unshare -rm true || skip 'no namespaces'
    export -f train eventually updates
    # shellcheck disable=SC2016
    run -143 unshare -rm bash -c 'mount -t tmpfs -o size=64k disk disk && { cat /dev/zero > disk/fill; } 2> /dev/null
        dsgd-ps -m logistic -o model -x "exec dsgd-worker -q -d const:5ms shard-0" -T 1h -t disk/t 2> err & ps=$!
        eventually grep -q "No space left on device" err
        rm disk/fill
        eventually grep -q "there is room again" err
        kill -TERM $ps; wait $ps; status=$?
        cp disk/t run.trace; exit $status'
    grep -q '^dsgd-ps: disk/t: No space left on device: the trace ends after update [0-9]*, and no replay goes beyond that, unless' err
    grep -q '^dsgd-ps: disk/t: there is room again, and nothing of the trace is missing$' err
    run -0 grep -c $'\tstop\t.*SIGTERM' run.trace
    identities
    # And when there is none until the end, the model is there all the same.
    # shellcheck disable=SC2016
    run -4 unshare -rm bash -c 'mount -t tmpfs -o size=64k disk disk && train -J 4000 -t disk/t
        status=$?; cp disk/t run.trace; exit $status'
    assert_line --regexp "dsgd-ps: the trace ends after update $(updates run.trace): disk/t: No space left on device"
    [ "$(iteration_of model)" = 4000 ]
    dsgd-sim -q --replay run.trace -o again shard-0
    replayed again "$(updates run.trace)"
}

@test "a trace whose reader has gone ends, and the run does not" {
    mkfifo pipe
    train_on -J 300 -t pipe
    head -n 5 pipe > head
    ends 4
    grep -q '^dsgd-ps: pipe: Broken pipe: the trace ends after update [0-9]*, and no replay goes beyond that$' ps.err
    [ "$(iteration_of model)" = 300 ]
    [ "$(wc -l < head)" = 5 ]
}

@test "a FIFO that nobody reads yet holds up nobody, and loses nothing" {
    mkfifo pipe
    train_on -J 300 -t pipe
    said 'pipe: nobody reads this FIFO yet; up to 4 MiB of the trace wait for a reader'
    said '300 updates in'
    said 'waiting for the reader of pipe, until it has taken nothing for 600 s'
    [ "$(iteration_of model)" = 300 ]
    cat pipe > run.trace
    ends 0
    [ "$(updates run.trace)" = 300 ]
    identities
}

@test "a reader of the trace that has stopped gets 4 MiB behind, no more, and then knows where the trace ends" {
    mkfifo pipe
    train_on -b 1 -T 1h -t pipe
    exec 8< pipe
    eventually -s 60 grep -q 'pipe: its reader has left 4 MiB waiting: the trace ends after update [0-9]*, ' ps.err
    kill -TERM "$server"
    ends 143
    cat <&8 > run.trace
    exec 8<&-
    grep -q "the trace ends after update $(updates run.trace), and" ps.err
}

@test "a model goes to the reader of a FIFO or a pipe when that takes it, and its absence is told" {
    mkfifo pipe
    local go="dsgd-ps -q -m logistic -J 20 -x 'exec dsgd-worker -q shard-0'"
    bash -c "exec $go -o pipe -v" 2> ps.err 3>&- &
    server=$!
    eventually grep -q 'waiting for the reader of pipe' ps.err
    [ "$(iteration_of pipe)" = 20 ]
    ends 0
    bash -c "$go -o >(cat > piped)"
    whole() { [ "$(iteration_of piped)" = 20 ]; }
    eventually whole
    bash -c "$go -o - | cat > standard"
    cmp -n 100 standard <(bash -c "$go")
    # One who looked at it and left.
    bash -c "exec $go -t run.trace -o pipe" 2> ps.err 3>&- &
    server=$!
    : < pipe
    ends 4
    grep -q '^dsgd-ps: no model: pipe: Broken pipe$' ps.err
    # shellcheck disable=SC2016
    run -4 bash -c "ulimit -f 0; exec $go -o gone"
    assert_not_exists gone
}

@test "a stopped reader of snapshots costs the memory of one model, and no time" {
    local bound least=0 most=0 i
    bound=$((4000000 / 1024 + 10240))
    mkfifo pipe
    dsgd-shard -q --features 1000000 -o wide "$(data 16-uneven-shards-end/a.svm)"
    for i in draining stopped; do
        rm -f run.trace
        dsgd-ps -q -m logistic -T 1h -S 1 -o /dev/null -t run.trace -x 'exec dsgd-worker -q wide' > pipe 3>&- &
        server=$!
        echo "$server" >> .background
        if [ $i = draining ]; then
            cat pipe > /dev/null 3>&- &
        else
            exec 8< pipe
        fi
        eventually -s 60 enough 40
        most=$(peak)
        [ $i = stopped ] || least=$most
        kill -TERM "$server"
        [ $i = draining ] || exec 8<&-
        ends 143
    done
    echo "draining $least kB, stopped $most kB, allowed $bound more"
    [ "$most" -le $((least + bound)) ]
    # Who drains may be slower than the updates: then it costs no more. 40 models were made.
    [ "$least" -le $((20 * 4000000 / 1024)) ]
}

@test "a worker that stops reading holds up nobody, and costs the memory of its next parameters" {
    dsgd-shard -q --features 1000000 -o wide "$(data 16-uneven-shards-end/a.svm)"
    serve ps dsgd-ps -q -m logistic -p k-sync:1 -P 2 -T 1h -o /dev/null -t run.trace -l "unix:$PWD/sock"
    local early
    enter 1
    background w0 dsgd-worker -q -c "$address" -r 0 wide
    eventually -s 60 enough 5
    early=$(peak)
    eventually -s 60 enough 60
    [ "$(peak)" -le $((early + 2 * 4000000 / 1024)) ] || fail "$early kB, then $(peak)"
    kill -TERM "$server"
    hang_up w1
    ends 143
}

@test "words for people hold up nobody either, and what is missing of them is counted" {
    mkfifo words
    exec 9<> words
    dd if=/dev/zero of=words bs=4096 oflag=nonblock 2> /dev/null || true
    dsgd-ps -v -m logistic -o model -J 20 -t run.trace -x 'exec dsgd-worker -q shard-0 2> /dev/null' 2>&9 3>&- 9>&- &
    server=$!
    echo "$server" >> .background
    over() { grep -qs $'\tstop\t' run.trace; }
    eventually over
    background reader cat words
    eventually grep -aq '20 updates in' reader.out
    exec 9>&-
    ends 0
    grep -aqE 'dsgd-ps: [1-9][0-9]* lines are missing here: nobody read them' reader.out
}

@test "an address waits for whoever asked for it, and the run waits for neither" {
    mkfifo pipe full
    chmod 644 pipe
    exec 9<> full
    dd if=/dev/zero of=full bs=4096 oflag=nonblock 2> /dev/null || true
    dsgd-ps -m logistic -o model -J 300 -P 2 -l "unix:$PWD/sock" --address-file pipe --ready-fd 9 \
        -x 'exec dsgd-worker -q shard-0' 2> ps.err 3>&- &
    server=$!
    echo "$server" >> .background
    said 'pipe: nobody reads it yet; the address waits for a reader'
    said -- '--ready-fd 9: nobody reads it yet; the address waits for a reader'
    [ "$(stat -c %a pipe)" = 600 ]
    read -r -t 30 address < pipe
    [ "$address" = "unix:$PWD/sock" ]
    background w dsgd-worker -q -c "$address" shard-0
    ends 0
    exec 9>&-
    # And nobody may ever look.
    run -0 train -J 20 -l "unix:$PWD/sock" --address-file pipe
}

@test "an address that goes to a device leaves that device as it is" {
    mknod null c 1 3 2> /dev/null || skip 'no devices can be made'
    chmod 666 null
    train -q -J 1 -l "unix:$PWD/sock" --address-file null
    [ "$(stat -c %a null)" = 666 ]
    run -4 train -q -J 1 -l "unix:$PWD/sock" --address-file /dev/full
    assert_output 'dsgd-ps: /dev/full: No space left on device'
    run -4 train -q -J 1 -l "unix:$PWD/sock" --ready-fd 77
    assert_output 'dsgd-ps: --ready-fd 77: Bad file descriptor'
}

@test "words of a worker that nobody reads stop neither its heartbeats nor the run" {
    mkfifo words
    exec 8<> words
    dd if=/dev/zero of=words bs=4096 oflag=nonblock 2> /dev/null || true
    serve ps dsgd-ps -q -m logistic -P 1 -T 1h -t run.trace -o model -l "unix:$PWD/sock"
    dsgd-worker -c "$address" shard-0 2>&8 3>&- 8>&- &
    local worker=$!
    echo "$worker" >> .background
    eventually enough 1
    kill -9 "$server" # which it has something to say about
    ends 137
    run -0 dsgd-ps -q -m logistic -P 1 -J 20 -o model -l "$address" --join-timeout 20s
    exec 8>&-
    wait $worker
}
