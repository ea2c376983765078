#!/usr/bin/env bats
# --init FILE: a run that starts from a model, and its replay.

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    printf '1 1:2 2:1\n-1 1:-2\n1 2:1\n-1 1:-1 2:-0.5\n' > train.svm
    dsgd-shard -q -n 2 -o 's-%d' train.svm
    dsgd-sim -q -P 2 -d const:1s -m logistic -e 0.5 -J 9 -o first s-0 s-1
}

teardown() {
    leave_nothing
}

@test "a run starts from the parameters of a model, by name or by SPEC" {
    loss=$(dsgd-eval -m first train.svm | tail -n 1 | cut -f 3)
    for init in first file:first "$PWD/first"; do
        run -0 bash -o pipefail -c 'dsgd-sim -q -P 2 -d const:1s -m logistic -J 1 -S 1 --init "$1" s-0 s-1 |
            dsgd-eval train.svm' _ "$init"
        assert_equal "$(cut -f 1,3 <<< "${lines[1]}")" "0"$'\t'"$loss"
    done
    run -0 bash -o pipefail -c 'dsgd-ps -q -m logistic -J 1 -S 1 --init first -x "dsgd-worker -q s-0" | dsgd-eval train.svm'
    assert_equal "$(cut -f 1,3 <<< "${lines[1]}")" "0"$'\t'"$loss"
}

@test "parameters that do not fit, and what is no model, are refused by name" {
    printf '1 1:2 3:1\n-1 1:-2\n' > wide.svm
    run -3 dsgd-sim -q -P 1 -d const:1s -m logistic -J 1 --init first -o m wide.svm
    assert_output 'dsgd-sim: first: start parameters do not fit: tensor 1 is weight (1, 2), that of this run weight (1, 3)'
    run -3 dsgd-sim -q -P 1 -d const:1s -m logistic --no-bias -J 1 --init first -o m train.svm
    assert_output --partial 'tensor 2 is bias (1), that of this run none'
    run -3 dsgd-sim -q -P 1 -d const:1s -m logistic -J 1 --init train.svm -o m train.svm
    assert_output --partial 'train.svm: not a safetensors record, but text'
    run -2 dsgd-sim -q -P 1 -d const:1s -m logistic -J 1 --init absent -o m train.svm
    assert_output --partial "unknown init 'absent': known are model, zero, normal, file"
    run -4 dsgd-sim -q -P 1 -d const:1s -m logistic -J 1 --init file:absent -o m train.svm
    assert_output --partial 'absent: No such file or directory'
    assert_not_exists m
}

@test "a replay starts from the same parameters, wherever they lie now, and from no others" {
    dsgd-ps -q -p async -m logistic -e 0.5 -J 30 --init first -o m -t run.trace \
        -x 'dsgd-worker -q s-0' -x 'dsgd-worker -q s-1'
    dsgd-sim -q --replay run.trace -o again s-0 s-1
    cmp m again
    mv first moved
    run -4 dsgd-sim -q --replay run.trace -o other s-0 s-1
    assert_output --partial "the run started from 'file:first': give that model by --init"
    dsgd-sim -q --replay run.trace --init moved -o again s-0 s-1
    cmp m again
    for wrong in m zero; do
        run -3 dsgd-sim -q --replay run.trace --init "$wrong" -o other s-0 s-1
        assert_output --regexp "^dsgd-sim: run.trace.*--init: '.*$wrong' has checksum [a-z0-9]*, the run started from 'file:first' with [0-9a-f]{8}"
    done
    dsgd-sim -q -P 2 -d const:1s -m logistic -J 3 -t zero.trace -o zero s-0 s-1
    run -3 dsgd-sim -q --replay zero.trace --init moved -o other s-0 s-1
    assert_output --partial '--init: init here is'
    assert_not_exists other
}
