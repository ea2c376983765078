#!/usr/bin/env bats
# dsgd-ps -C: what is written, when, by whom, and what happens where it cannot be.
# bats file_tags=slow

load lib/resuming.bash

@test "a checkpoint that is half, damaged, or none is refused" {
    train -J 5 -C ck -o model
    local refuses='dsgd-ps: half: '
    head -c 3000 ck > half
    run -3 train -C half --resume -J 9 -o none
    [[ $output == "$refuses"* ]]
    cp ck bent
    printf 'X' | dd of=bent bs=1 seek=$(($(stat -c %s bent) - 100)) conv=notrunc status=none
    run -3 train -C bent --resume -J 9 -o none
    [[ $output == "dsgd-ps: bent: damaged: its tensors have another checksum"* ]]
    run -3 train -C model --resume -J 9 -o none
    [[ $output == "dsgd-ps: model: is no checkpoint"* ]]
    assert_not_exists none
}

@test "where it cannot be written is told before a worker starts" {
    run -4 dsgd-ps -m softmax -J 5 -C no/ck -o model -x 'touch started'
    assert_output --partial 'no/ck'
    assert_not_exists started
    mkfifo pipe
    run -2 dsgd-ps -m softmax -J 5 -C pipe -o model -x 'touch started'
    run -2 dsgd-ps -m softmax -J 5 -C model -o model -x 'touch started'
    assert_output --partial "the model (-o) and the checkpoint (-C) are the same"
}

@test "a full disk is told at once, training goes on, and the last good checkpoint stays" {
    local status=0
    dsgd-ps -m softmax -e 0.003 -J 40 -C /dev/full --checkpoint-every 5 -o model \
        -x 'exec dsgd-worker -q -d const:2ms shard-0' 2> err || status=$?
    assert_equal "$status" 4
    [ "$(grep -c 'no checkpoint of update [0-9]*: /dev/full: No space left on device; the run goes on' err)" = 1 ]
    grep -q '^dsgd-ps: no checkpoint of update 40: /dev/full: No space left on device$' err
    [ "$(iteration_of model)" = 40 ]
}

@test "on a disk that fills up the last good checkpoint stays, and nothing half-written" {
    mkdir disk
    unshare -rm true || skip 'no namespaces'
    export -f train
    # shellcheck disable=SC2016
    run -4 unshare -rm bash -c 'mount -t tmpfs -o size=32k disk disk && train -J 5 -C disk/ck -o part &&
        cp disk/ck good && { cat /dev/zero > disk/fill; } 2> /dev/null
        train -J 30 -C disk/ck --checkpoint-every 5 --resume -o model
        status=$?
        cmp disk/ck good && ls -A disk && exit $status'
    assert_output --partial 'no checkpoint of update 30: disk/ck: No space left on device'
    assert_line --index -2 ck
    assert_line --index -1 fill
    [ "$(iteration_of model)" = 30 ]
}

@test "a folder that goes away is told, and when it is back so are the checkpoints" {
    mkdir d
    dsgd-ps -m softmax -e 0.003 -T 1h -C d/ck --checkpoint-every 5 -o model \
        -x 'exec dsgd-worker -q -d const:2ms shard-0' 2> err 3>&- &
    server=$!
    eventually test -e d/ck
    mv d away
    eventually grep -q 'no checkpoint of update [0-9]*: d/ck: No such file or directory; the run goes on' err
    mkdir d
    eventually test -e d/ck
    kill -TERM $server
    wait $server || [ $? -eq 143 ]
    [ "$(iteration_of d/ck)" -gt "$(iteration_of away/ck)" ]
}

# A child of the server that is frozen while it writes; its pid in $child.
freeze_child() {
    child=$(< "/proc/$server/task/$server/children")
    child=${child%% *}
    [ -n "$child" ] || return
    kill -STOP "$child" 2> /dev/null || return
    local state
    read -r _ _ state _ < "/proc/$child/stat" && [ "$state" != Z ]
}

# bats test_tags=linux
@test "training does not wait for the writing, and who writes ends with a killed server" {
    local n
    delay=const:2ms workers
    server -p async -T 1h --checkpoint-every 1
    eventually test -e ck # only then is it sure that who writes has told the system to end with the server
    eventually freeze_child
    n=$(grep -c $'\tupdate\t' run.trace) || true
    more_updates() {
        [ "$(grep -c $'\tupdate\t' run.trace)" -gt $((n + 100)) ]
    }
    eventually more_updates
    killed
    gone() {
        [ ! -e "/proc/$child" ] || grep -q '^State:.Z' "/proc/$child/status"
    }
    eventually gone
    printf x > .ck.abcdef
    server -p async -T 1h --resume
    eventually test ! -e .ck.abcdef
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    run -1 compgen -G '.ck.*'
}

@test "workers are told to leave when the last checkpoint is written, and are still there if the server is killed before" {
    train -J 20 -o straight -t straight.trace
    train -J 5 -o part -C ck -t run.trace
    server -e inverse:0.003,decay=0.01 -J 20 --resume
    eventually freeze_child
    workers
    ended() { awk -F '\t' '$2 == "stop" && $6 == 20 { found = 1 } END { exit !found }' run.trace; }
    eventually ended
    killed
    kill -CONT "$child" 2> /dev/null || true
    server -e inverse:0.003,decay=0.01 -J 20 --resume
    wait "$server"
    same_model straight model
    one_run model
}

@test "they do not wait for a disk that takes nothing longer than --drain-timeout" {
    server -J 5 --drain-timeout 700ms
    eventually freeze_child
    workers
    left() { [ "$(grep -c $'\tleave\t' run.trace)" = 3 ]; }
    eventually left
    run -0 awk -F '\t' '$2 == "stop" { end = $1 } $2 == "leave" && $1 < end + 0.69 { print }' run.trace
    assert_output ""
    killed
    kill -CONT "$child" 2> /dev/null || true
}

@test "a run that lost its numbers leaves a checkpoint of its last finite model" {
    run -1 dsgd-ps -q -m least-squares -e 1e6 -J 100 -C ck -o model -x 'exec dsgd-worker -q shard-0'
    assert_output --regexp 'update [0-9]+: .* is not a finite number; lower the step'
    run -0 iteration_of ck
    same_end() { cmp <(tail -c 256 ck) <(tail -c 256 model); }
    same_end
}
