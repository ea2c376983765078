#!/usr/bin/env bats
# dsgd-worker against a server that follows a script: what it sends, when, and how it ends.

setup() {
    load lib/common.bash
    load lib/fake.bash
    cd "$BATS_TEST_TMPDIR" || return
    awk 'BEGIN { for (; i < 10; i++) printf "%d 1:%g 3:%g\n", i % 2, i / 10, i * i % 7 }' > d.svm
}

teardown() {
    leave_nothing
}

@test "each grant is answered by one gradient, of the same minibatch in every run" {
    local first
    fake accept welcome full=0,0 hear bits same=0,1 hear bits full=1,2 hear bits bye hear end
    run -0 --separate-stderr dsgd-worker -c unix:s d.svm
    [ -z "$output$stderr" ]
    heard
    first=$(sed 's/ compute=[^ ]* delay=[^ ]*//' fake.out)
    grep -q '^hello rank=-1 rows=10 features=3 classes=2 run= token=$' <<< "$first"
    [ "$(grep '^grad' <<< "$first")" = \
'grad version=0 seq=0 rows=4 loss=0.6931 floats=8
grad version=0 seq=1 rows=4 loss=0.6931 floats=8
grad version=1 seq=2 rows=2 loss=0.6931 floats=8' ]

    fake accept welcome full=0,0 hear bits same=0,1 hear bits full=1,2 hear bits bye hear end
    dsgd-worker -c unix:s -d const:1ms d.svm
    heard
    diff <(echo "$first") <(sed 's/ compute=[^ ]* delay=[^ ]*//' fake.out)
}

@test "the delay is waited out after the computation, and both are measured" {
    fake accept welcome full=0,0 hear bye hear end
    dsgd-worker -c unix:s -d const:30ms d.svm
    heard
    assert_output --regexp 'seq=0 rows=4 loss=0.6931 compute=0\.[0-9]{6} delay=0\.0[3-9]'
}

@test "new parameters end a delay at once, and what was voided is confirmed with its time" {
    local start=$SECONDS
    # The heartbeat after half a second shows that the delay is under way.
    fake accept welcome=3s full=0,0 beats=1 full=1,1 hear same=1,2 hear bye hear end
    run -0 dsgd-worker -c unix:s -d const:60s d.svm
    heard
    ((SECONDS - start < 20))
    assert_output --regexp 'cancelled version=0 seq=0 rows=0 .* compute=0\.[0-9]* delay=0\.[3-9]'
    assert_output --regexp 'cancelled version=1 seq=1 '
    assert_output --regexp 'bye version=1 seq=2 rows=0 '
    refute_output --partial grad
}

@test "heartbeats go out before the welcome, while there is nothing to do, and during a delay" {
    fake accept beats=2 welcome=3s beats=1 full=0,0 beats=1 bye hear end
    dsgd-worker -c unix:s -d const:60s d.svm
    heard
}

@test "a gradient that is not finite is sent all the same" {
    printf '1 1:3e38\n1 1:3e38\n1 1:3e38\n1 1:3e38\n0 2:1\n' > huge.svm
    fake accept welcome full=0,0 hear bits full=0,1 hear bits bye hear end
    dsgd-worker -c unix:s huge.svm
    heard
    assert_output --regexp '(inf|nan)'
}

@test "the server's BYE before any work is an end in order" {
    fake accept bye end
    run -0 --separate-stderr dsgd-worker -c unix:s d.svm
    [ -z "$output$stderr" ]
    heard
}

@test "an error of the server is printed, and its status is the worker's" {
    local given want
    while read -r given want; do
        fake accept welcome full=0,0 hear "error=$given,the loss is not finite" end
        run "-$want" dsgd-worker -c unix:s d.svm
        assert_output 'dsgd-worker: the loss is not finite'
        heard
    done <<'ROWS'
1 1
2 2
5 5
0 5
77 5
ROWS
}

@test "parameters of another size, or none, are refused on both sides" {
    fake accept welcome short=0,0 hear end
    run -5 dsgd-worker -c unix:s d.svm
    assert_output 'dsgd-worker: unix:s: parameters of 28 bytes, the model here has 32'
    heard
    assert_line 'error status=5 parameters of 28 bytes, the model here has 32'

    fake accept welcome full=0,0 hear same=1,1 hear end
    run -5 dsgd-worker -c unix:s d.svm
    assert_output 'dsgd-worker: unix:s: the server never sent version 1'
    heard
}

@test "what is no dsgd server is told apart, and not tried again" {
    fake accept raw='HTTP/1.1 400 Bad Request, and what a page says' end
    run -5 dsgd-worker -c unix:s d.svm
    assert_output 'dsgd-worker: unix:s: not a dsgd peer'
    heard
}

@test "a silent server is lost after the time that it gave, and looked for again" {
    fake accept welcome=300ms end
    run -5 dsgd-worker -c unix:s --connect-timeout 300ms d.svm
    assert_line 'dsgd-worker: unix:s: connection lost: nothing came for 0.3 s; trying to come back'
    assert_line --partial 'the run is over, or its server is gone: '
    heard
    fake accept welcome=300ms accept welcome=300ms bye hear end
    run -0 dsgd-worker -c unix:s d.svm
    assert_output 'dsgd-worker: unix:s: connection lost: nothing came for 0.3 s; trying to come back'
    heard
    assert_line --regexp '^hello rank=0 back rows'
}

@test "after a lost connection the worker comes back under its rank" {
    fake accept welcome full=0,0 close accept welcome full=7,2 hear bye hear end
    run -0 dsgd-worker -c unix:s -d const:10ms d.svm
    assert_output 'dsgd-worker: unix:s: connection closed; trying to come back'
    heard
    assert_line --regexp '^hello rank=-1 '
    assert_line --regexp '^hello rank=0 back '
    assert_line --regexp '^grad version=7 seq=2 '
}

@test "a server that is gone for good is said to be, after the time for connecting" {
    fake accept welcome full=0,0 hear close
    run -5 dsgd-worker -c unix:s --connect-timeout 300ms d.svm
    assert_line --partial \
        'the run is over, or its server is gone: unix:s: cannot connect: No such file or directory'
    assert_line --partial '(tried for 0.3 s)'
    heard
}

@test "an error that the server sent before it closed is not lost in the loss" {
    fake accept welcome full=0,0 error='3,no row fits' close
    run -3 dsgd-worker -c unix:s -d const:50ms d.svm
    assert_output 'dsgd-worker: no row fits'
    heard
}

@test "the rank comes from -r, else DSGD_RANK, else what a scheduler sets less --rank-base" {
    local want setting options
    while read -r want setting options; do
        fake accept bye end
        # shellcheck disable=SC2086 # words
        env ${setting//,/ } dsgd-worker -c unix:s $options --run 'a b' d.svm
        heard
        assert_output --regexp "^hello rank=$want rows=10 features=3 classes=2 run=a b token="
    done <<'ROWS'
-1 A=
-1 SLURM_PROCID=
4 DSGD_RANK=3 -r 4
3 DSGD_RANK=3,SLURM_PROCID=2
2 SLURM_PROCID=2,OMPI_COMM_WORLD_RANK=1
1 OMPI_COMM_WORLD_RANK=1
6 PMIX_RANK=6
7 PMI_RANK=7
8 JOB_COMPLETION_INDEX=8
0 SLURM_PROCID=1 --rank-base 1
1 DSGD_RANK=1 --rank-base 1
ROWS
}

@test "%r in operands is the rank" {
    mv d.svm d-12.svm
    fake accept bye end
    DSGD_RANK=12 dsgd-worker -c unix:s d-%r.svm
    heard
    run -2 dsgd-worker -c unix:s d-%r.svm
    assert_output 'dsgd-worker: d-%r.svm: %r needs a rank: give -r RANK'
}

@test "a stream on stdin gives the worker the shard of its rank" {
    dsgd-shard -q -n 3 -o - d.svm > stream
    dsgd-shard -q -n 1 -o - d.svm > one
    fake accept bye end
    dsgd-worker -c unix:s -r 0 - < stream
    heard
    assert_output --partial 'hello rank=0 rows=4 '
    fake accept bye end
    # shellcheck disable=SC2002 # a pipe is what is tested
    cat stream | dsgd-worker -c unix:s -r 2 -
    heard
    assert_output --partial 'hello rank=2 rows=3 '
    fake accept bye end
    dsgd-worker -c unix:s -r 0 - < one
    heard
    assert_output --partial 'hello rank=0 rows=10 '
}

@test "a stream without the worker's shard, a worker without a rank or a free stdin, is refused" {
    dsgd-shard -q -n 3 -o - d.svm > stream
    dsgd-shard -q -n 1 -o - d.svm > one
    run -3 dsgd-worker -c unix:s -r 3 - < stream
    assert_output 'dsgd-worker: <stdin>: 3 shards, none is number 3 (they count from 0)'
    run -3 dsgd-worker -c unix:s -r 1 - < one
    assert_output 'dsgd-worker: <stdin>: 1 shards, none is number 1 (they count from 0)'
    run -2 dsgd-worker -c unix:s - < stream
    assert_output 'dsgd-worker: -: a shard of a stream needs a rank: give -r RANK'
    run -2 dsgd-worker -r 1 - < stream
    assert_output 'dsgd-worker: -: stdin is the connection to the server'
}

@test "bad data end the worker before it connects" {
    echo '1 0:1' > bad.svm
    run -3 dsgd-worker -c unix:s bad.svm
    assert_output --partial 'bad.svm:1: '
    run -4 dsgd-worker -c unix:s none.svm
    assert_output 'dsgd-worker: none.svm: No such file or directory'
}

@test "what the command line lacks or has wrong is said, on stderr alone" {
    local args want
    while IFS='|' read -r args want; do
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr dsgd-worker $args < /dev/null
        [ -z "$output" ]
        [[ $stderr == *"$want"* ]] || fail "$args: $stderr"
    done <<'ROWS'
|no shard was named
-c unix:s -r x d.svm|--rank 'x': not a whole number (see dsgd-worker --help)
-c unix:s -r -1 d.svm|--rank '-1': not a whole number (see dsgd-worker --help)
-c unix:s -d weird:1s d.svm|known are const, exp, shifted-exp, pareto, 
-c unix:s --connect-timeout soon d.svm|soon
-c localhost:4000 d.svm|write unix:PATH, tcp:HOST:PORT, tls:HOST:PORT or stdio
ROWS
    SLURM_PROCID=0 run -2 dsgd-worker --rank-base 1 -c unix:s d.svm
    assert_output "dsgd-worker: \$SLURM_PROCID '0': less than --rank-base 1 (see dsgd-worker --help)"
}

@test "DSGD_PS stands in for -c, and without both a terminal is refused" {
    fake accept bye end
    DSGD_PS=unix:s dsgd-worker d.svm
    heard
    command -v script > /dev/null || skip 'no script(1) to make a terminal'
    run script -qec 'dsgd-worker d.svm' /dev/null < /dev/null
    assert_output --partial 'a terminal is no server: give -c ADDRESS'
}

@test "names of classes that are too long to be told are bad data, by the name of the file" {
    for i in {1..4500}; do
        printf 'class%01000d,1\n' "$i"
    done > long.csv
    run -3 --separate-stderr dsgd-ps -m softmax -J 1 -o model -x 'dsgd-worker --no-header --label-column 1 long.csv'
    [[ ${stderr_lines[0]} == "dsgd-worker: long.csv: the names of its 4500 classes and of its columns, "*" bytes; 4194272 can be sent"* ]] ||
        fail "$stderr"
}

@test "a file that is given twice, by whatever name, is noticed" {
    printf '1 1:2\n-1 1:1\n' > a.svm
    printf '1 1:2\n-1 1:3\n' > b.svm
    ln b.svm c.svm
    run -0 --separate-stderr dsgd-shard a.svm b.svm ./a.svm c.svm a.svm
    assert_equal "${stderr_lines[0]}" 'dsgd-shard: a.svm is given 3 times, also as ./a.svm: so are its rows'
    assert_equal "${stderr_lines[1]}" 'dsgd-shard: b.svm is given 2 times, also as c.svm: so are its rows'
    assert_equal "${#stderr_lines[@]}" 3
    run -0 dsgd-ps -q -m logistic -J 1 -o model -x 'dsgd-worker b.svm b.svm a.svm'
    assert_output 'dsgd-worker: b.svm is given 2 times: so are its rows'
    run -0 dsgd-ps -q -m logistic -J 1 -o model -x 'dsgd-worker b.svm a.svm'
    assert_output ''
}
