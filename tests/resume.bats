#!/usr/bin/env bats
# dsgd-ps -C and --resume: a run that was stopped, or killed, goes on as if it had not been.
# bats file_tags=slow

load lib/resuming.bash

@test "with every optimizer, a sync run that ended and goes on is the straight one" {
    local o
    for o in sgd momentum nesterov adagrad adam; do
        rm -f ck
        train -O $o --l2 0.01 -J 20 -o straight -t straight.trace
        train -O $o --l2 0.01 -J 9 -o part -t run.trace -C ck
        [ "$(iteration_of ck)" = 9 ]
        train -O $o --l2 0.01 -J 20 -o model -t run.trace -C ck --resume
        same_model straight model
        diff <(updates straight.trace) <(updates run.trace)
        one_run model
    done
}

@test "so is one that is saved after every update, was stopped by a signal, and was killed twice" {
    train -O momentum -J 60 -o straight -t straight.trace
    delay=const:20ms # a kill comes before the run is over
    workers
    server -e inverse:0.003,decay=0.01 -O momentum -J 60 --checkpoint-every 1 --resume
    eventually test -e ck
    killed
    server -e inverse:0.003,decay=0.01 -O momentum -J 60 --checkpoint-every 1 --resume
    eventually grep -q $'\tupdate\t' run.trace
    killed
    server -e inverse:0.003,decay=0.01 -O momentum -J 60 --checkpoint-every 1 --resume
    wait "$server"
    same_model straight model
    diff <(updates straight.trace) <(updates run.trace)
    one_run model
    rm ck run.trace model
    dsgd-ps -q -m softmax -e inverse:0.003,decay=0.01 -O momentum -P 3 -J 60 -C ck -t run.trace -o model \
        -x 'exec dsgd-worker -q -d const:20ms shard-%r' 3>&- &
    server=$!
    eventually grep -qs $'\tjoin\t2\t' run.trace
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
    assert_not_exists model
    assert_exists ck
    train -O momentum -J 60 -C ck --resume -t run.trace -o model
    same_model straight model
    diff <(updates straight.trace) <(updates run.trace)
    one_run model
}

@test "under every policy a killed server gets its workers back, and no gradient is used twice or forgotten" {
    local policy ends
    for policy in $(every_policy) bounded:4,mode=drop; do
        policy=${policy/:4/:2}
        echo "$policy"
        rm -f ck run.trace ps.err
        workers
        server -p "$policy" -T 1h --checkpoint-every 10 --resume
        eventually test -e ck
        killed
        ends=$(($(iteration_of ck) + 50))
        server -p "$policy" -J $ends --checkpoint-every 10 --resume
        wait "$server"
        [ "$(grep -c 'the run goes on after update' ps.err)" = 1 ]
        [ "$(grep -c $'\tresumed -J '"$ends\$" run.trace)" = 1 ]
        run -0 awk -F '\t' '$2 == "join" { print $3, $12 }' run.trace
        assert_equal "$(sort -u <<< "$output" | wc -l)" 3
        one_run model
    done
}

@test "workers come back to a fixed port with the token that they know, if nobody else can know it" {
    local port know="$BATS_TEST_TMPDIR/know"
    tcp() {
        dsgd-ps -q -m softmax -P 3 -C ck -t run.trace -o model --resume --checkpoint-every 5 \
            --address-file "$know" "$@" < /dev/null 2>> ps.err 3>&- &
        server=$!
        echo "$server" >> .background
        eventually test -s "$know"
    }
    tcp -T 1h -l tcp:127.0.0.1:0
    address=$(< know)
    port=${address%/*}
    for r in 0 1 2; do
        background "w$r" dsgd-worker -q -c "$address" -r $r -d exp:mean=1ms shard-$r
    done
    eventually test -e ck
    killed
    cp know kept
    tcp -J $(($(iteration_of ck) + 20)) -l "$port"
    wait "$server"
    one_run model
    assert_not_exists know
    install -m 644 kept know
    tcp -T 1h -l "$port"
    other_token() {
        [ "$(stat -c %a know)" = 600 ] && ! cmp -s kept know
    }
    eventually other_token
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
}

@test "workers that read their address from a file follow a server to another token, or are told that theirs is old" {
    local port
    at() {
        dsgd-ps -q -m softmax -P 3 -C ck -t run.trace -o model --resume --checkpoint-every 5 "$@" < /dev/null \
            2>> ps.err 3>&- &
        server=$!
        echo "$server" >> .background
    }
    at -T 1h -l tcp:127.0.0.1:0 --address-file know
    eventually test -s know
    address=$(< know)
    port=${address%/*}
    for r in 0 1 2; do
        background "w$r" dsgd-worker -q -c @know -r $r -d exp:mean=1ms shard-$r
    done
    eventually test -e ck
    killed
    # Others could have read this one: the server makes a new token.
    cp know old
    chmod 644 know
    at -J $(($(iteration_of ck) + 20)) -l "$port" --address-file know
    wait "$server"
    one_run model
    run ! grep -q 'old' w0.err
    # Whoever has the old one is refused at once, and the file named.
    at -T 1h -l "$port" --address-file know
    eventually test -s know
    run -5 dsgd-worker -q -c @old shard-0
    assert_output "dsgd-worker: @old: the token is not that of this server, or not any more; take its address as it is given now"
    # One that was refused while its server wrote the file anew tries again.
    local late
    cp old mine
    kill -STOP "$server"
    background late dsgd-worker -c @mine -r 0 shard-0
    late=$(tail -n 1 .background)
    connected() { readlink /proc/"$late"/fd/* | grep -q '^socket:'; }
    eventually connected
    cp know mine
    kill -CONT "$server"
    eventually grep -q '@mine has another address now: the token is not that' late.err
    kill -TERM "$server"
    wait "$server" || [ $? -eq 143 ]
}

@test "a spare with other data is one again when the server is back, and takes the place of a lost worker" {
    head -n 200 <(zcat "$top_srcdir/share/data/digits-train.csv.gz") > few.csv
    dsgd-shard -q -o other --no-header --label-column 65 few.csv
    delay=const:5ms workers
    server -p async -T 1h --checkpoint-every 1 --resume
    eventually test -e ck
    background spare dsgd-worker -q -c "unix:$PWD/sock" -d const:5ms other
    eventually grep -q 'other waits as a spare' ps.err
    kill -STOP "$(sed -n 1p .background)" # so that others are still awaited when it is back
    killed
    server -p async -T 1h --checkpoint-every 1 --resume
    eventually grep -q 'other: no worker of the run that goes on had its data' ps.err
    kill -CONT "$(sed -n 1p .background)"
    waits() { [ "$(grep -c 'other waits as a spare' ps.err)" -ge 2 ]; }
    eventually waits
    eventually grep -q $'\tresumed ' run.trace
    kill -9 "$(sed -n 2p .background)"
    pushed() { awk -F '\t' '$2 == "set" && $12 ~ /^shard .*other$/ { r = $3; here = 1 } here && $2 == "push" && $3 == r { n++ } END { exit n < 3 }' run.trace; }
    eventually pushed
    # Its data are those of its place from now on.
    killed
    server -p async -J $(($(iteration_of ck) + 100)) --checkpoint-every 1 --resume
    wait "$server"
    run -0 awk -F '\t' '$2 == "join" { print $3, $12 }' run.trace
    assert_line --regexp '^1 .*other$'
    identities
    dsgd-sim -q --replay run.trace -o again shard-* other
    cmp model again
}

@test "a spare with other data fills no place while a run that goes on gathers its workers, though one is missing" {
    dsgd-shard -q -o other --no-header --label-column 65 <(zcat "$top_srcdir/share/data/digits-train.csv.gz" | head -n 200)
    train -q -C ck -J 5 -o part
    background w0 dsgd-worker -q -c "unix:$PWD/sock" -r 0 shard-0
    background w1 dsgd-worker -q -c "unix:$PWD/sock" -r 1 shard-1
    background spare dsgd-worker -q -c "unix:$PWD/sock" other
    server -J 10 --resume --join-timeout 2s -e inverse:0.003,decay=0.01
    local status=0
    wait "$server" || status=$?
    assert_equal "$status" 5
    grep -q 'other waits as a spare' ps.err
    grep -q 'dsgd-ps: 2 of 3 workers joined within 2 s (--join-timeout)' ps.err
}

@test "what was made in passes counts on, and who made all its passes is not awaited" {
    head -n 40 <(zcat "$top_srcdir/share/data/digits-train.csv.gz") > few.csv
    dsgd-shard -q -o shard-1 --no-header --label-column 65 few.csv
    train -E 2 -o straight -t straight.trace
    train -E 1 -o part -t run.trace -C ck
    train -E 2 -o model -t run.trace -C ck --resume
    run -0 awk -F '\t' '$2 == "push" { n[$3]++ } END { print n[0], n[1], n[2] }' run.trace
    assert_output "30 4 30"
    one_run model
    rm ck
    train -J 20 -t run.trace -o part -C ck
    rm -f sock
    for r in 0 2; do
        background "w$r" dsgd-worker -q -c "unix:$PWD/sock" -r $r shard-$r
    done
    server -e inverse:0.003,decay=0.01 -E 1 --resume
    wait "$server"
    one_run model
}

@test "time goes on, and so do the multiples of -S" {
    train -J 20 -S 10 --lossless -C ck > first
    train -J 35 -S 10 --lossless -C ck --resume > second
    cat first second | dsgd-eval shard-0 | awk 'NR > 1 && $2 < last { exit 1 } NR > 1 { last = $2; print $1 }' > got
    assert_equal "$(tr '\n' ' ' < got)" "0 10 20 30 35 "
    rm ck
    slow() {
        dsgd-ps -q -m softmax -P 3 -C ck -o model -t run.trace --resume \
            -x 'exec dsgd-worker -q -d const:100ms shard-%r' "$@"
    }
    slow -J 5
    slow -T 1200ms
    [ "$(iteration_of ck)" -gt 5 ] && [ "$(iteration_of ck)" -le 12 ]
    one_run model
    slow -T 200ms
    same_model ck model
}

@test "an option that would make it another run is refused with both values" {
    train -p k-sync:2 -O momentum -J 5 -C ck -o model
    local common=(-C ck --resume -o none)
    refused() {
        run -3 --separate-stderr dsgd-ps -x true "${common[@]}" "${@:2}"
        [[ $stderr == "dsgd-ps: ck: "*"$1"* ]] || fail "$stderr"
        assert_not_exists none
    }
    refused '--policy: policy here is "sync", the run was recorded with "k-sync:2"' -p sync
    refused '--model: model here is "hinge", the run was recorded with "softmax"' -m hinge
    refused '--optimizer: optimizer here is "adam"' -O adam
    refused '--step: step here is "const:0.5"' -e 0.5
    refused '--batch: b here is 16, the run was recorded with 32' -b 16
    refused '--seed: seed here is "2"' -s 2
    refused "--workers: here is '2', the run was recorded with '3'" -P 2
    refused "--on-loss: here is 'shrink', the run was recorded with 'wait'" --on-loss shrink
    refused "--run: here is 'other', the run was recorded with ''" --run other
    run -2 --separate-stderr dsgd-ps -x true --resume -m softmax -J 5 -o none
    [[ $stderr == *"--resume"*"-C FILE"* ]]
}

@test "what is not said comes from the checkpoint" {
    train -p k-sync:2 -O momentum -b 16 -J 5 -C ck -t run.trace -o part
    dsgd-ps -q -C ck --resume -J 9 -t run.trace -o model -x 'exec dsgd-worker -q shard-%r'
    [ "$(iteration_of model)" = 9 ]
    one_run model
}

@test "a run that had come to its end does so again, without workers" {
    train -J 5 -C ck -o first
    dsgd-ps -q -C ck --resume -o second -l "unix:$PWD/sock"
    same_model first second
}

@test "without a checkpoint --resume begins a run, and says so" {
    run -0 --separate-stderr train -q -v -C ck --resume -J 5 -o model
    [[ $stderr == *"ck is not there yet: the run begins anew"* ]]
    assert_exists ck
}

@test "a worker with other data is refused, one without a rank finds its place by its data" {
    train -J 5 -C ck -o part -t run.trace
    run -3 --separate-stderr dsgd-ps -q -C ck --resume -J 9 -o none -x 'exec dsgd-worker -q shard-0' \
        -x 'exec dsgd-worker -q shard-2' -x 'exec dsgd-worker -q shard-2'
    [[ $stderr == *"it has other data (479 rows, 'shard-2' with crc32 "*") than worker 1 of the run that goes on (479 rows, 'shard-1' with crc32 "* ]] || fail "$stderr"
    server -e inverse:0.003,decay=0.01 -J 9 --resume
    for r in 2 1 0; do
        background "w$r" dsgd-worker -q -c "unix:$PWD/sock" shard-$r
        eventually -s 5 test -e "w$r.err"
    done
    wait "$server"
    run -0 awk -F '\t' '$2 == "join" { print $3, $12 }' run.trace
    assert_equal "$(sed 's/ .*, / /' <<< "$output" | sort -u | tr '\n' ' ')" "0 shard-0 1 shard-1 2 shard-2 "
    one_run model
}

@test "a trace is cut where the checkpoint is, a torn line with it" {
    train -J 20 -o straight -t straight.trace
    train -J 9 -o part -t run.trace -C ck
    printf '7.0\tpush\t0' >> run.trace
    train -J 20 -o model -t run.trace -C ck --resume
    [ "$(grep -c $'\tstop\t' run.trace)" = 1 ]
    one_run model
    same_model straight model
}

@test "a trace that is another run's is left alone; without the old one a new one begins" {
    train -J 9 -o part -t run.trace -C ck
    cp straight.trace other.trace 2> /dev/null || train -J 9 -s 2 -o other -t other.trace
    cp other.trace was.trace
    run -3 train -J 20 -o none -t other.trace -C ck --resume
    assert_output --partial "other.trace: is not the trace of the run that goes on here"
    cmp other.trace was.trace
    train -J 20 -o model -t new.trace -C ck --resume
    run -0 dsgd-trace summary new.trace
    assert_line --regexp '^all	33	33	'
    run -3 dsgd-sim -q --replay new.trace -o none shard-*
    assert_output --partial "new.trace:3: the run goes on after update 9, of a trace that is not here"
}
