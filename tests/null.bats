#!/usr/bin/env bats
# -m null:N: parameters of which nothing is computed, for measuring what the rest of a run costs.

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    printf '%s,%d\n' a 1 b 2 c 3 d 4 e 5 | dsgd-shard -q -o s -f csv --no-header --label-column 1 -
}

teardown() {
    leave_nothing
}

@test "null:N trains N parameters to nothing: dense gradients of 0 on any data, a loss of 0" {
    dsgd-ps -q -P 2 -p async -m null:7 -b 2 -E 1 -t trace -o model -x 'dsgd-worker -q s # %r'
    # 8 bytes of length, the header, 7 floats: zeros
    header=$(od -An -t u8 -N 8 model | tr -d ' ')
    [ "$(wc -c < model)" -eq $((8 + header + 28)) ]
    head -c $((8 + header)) model | grep -aq '"weight":{"dtype":"F32","shape":\[7\]'
    [ -z "$(tail -c 28 model | tr -d '\0')" ]
    run -0 awk -F '\t' '$2 == "push" { n[$8]++; sum += $11 } END { print n[2], n[1], sum }' trace
    assert_output '4 2 0'
    dsgd-sim --replay trace -q -t again -o same s
    cmp trace again
    cmp model same
}

@test "null:N in virtual time: the simulator has its times, and nothing to compute" {
    dsgd-sim -q -P 3 -p k-async:2 -m null:9 -b 2 -d exp:mean=1s -J 20 -t trace -o model s
    dsgd-sim -q -P 3 -p k-async:2 --no-model -d exp:mean=1s -J 20 -t times
    diff <(awk -F '\t' '!/^#/ { print $1, $2, $3, $4, $7 }' trace) <(awk -F '\t' '!/^#/ { print $1, $2, $3, $4, $7 }' times)
    dsgd-sim -q -P 3 -p adasync:k-async,every=3s,loss=full -m null:9 -d exp:mean=1s -J 20 -o model s
}

@test "a null model has nothing to score, to plan with or to be without size" {
    dsgd-sim -q -m null:2 -d const:1s -J 1 -o model s
    run -2 dsgd-eval -m model s
    assert_output 'dsgd-eval: model: model null: nothing is computed with it, it has nothing to score'
    run -2 dsgd-plan -m null:2 -P 2 -d const:1s
    assert_output --partial 'model null: nothing is computed with it'
    run -2 dsgd-sim -m null -d const:1s -J 1 -o model s
    assert_output --partial 'null needs N (parameters)'
    run -2 dsgd-sim -m null:0 -d const:1s -J 1 -o model s
    assert_output --partial "'null:0'"
}
