# Rows that count for more than others: classes that are balanced in training.

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
    printf '0 1:1\n0 1:2\n0 2:1\n1 1:3 2:2\n' > rows.svm
}

teardown() {
    leave_nothing
}

# The loss after ten whole-set steps on shards, on the data that follow.
#   trained SHARD DATA...
trained() {
    dsgd-sim -q -d const:1ms -p sync -P 1 -b 100 -J 10 -m logistic -e 0.5 -o "model-$1" "$1"
    dsgd-eval -m "model-$1" "${@:2}" | awk 'NR == 2 { print $3, $4 }'
}

# Numbers alike to six digits.
alike() {
    awk -v a="$1" -v b="$2" 'BEGIN { if (split(a, x, " ") != 2 || split(b, y, " ") != 2) exit 1
        for (i = 1; i <= length(x); i++) { d = x[i] - y[i]; if (d * d > 1e-12 * x[i] * x[i]) exit 1 } }' ||
        fail "$1 is not $2"
}

@test "balanced classes count alike: as if rows of the small one were there several times" {
    dsgd-shard -q --balance -o balanced rows.svm
    rows --weights balanced | sort > weights
    run -0 cat weights
    assert_output $'0.666666687\n0.666666687\n0.666666687\n2'
    { cat rows.svm; tail -n 1 rows.svm; tail -n 1 rows.svm; } > repeated.svm
    dsgd-shard -q -o repeated repeated.svm
    dsgd-shard -q -o plain rows.svm
    alike "$(trained balanced rows.svm)" "$(trained repeated rows.svm)"
    [ "$(trained plain rows.svm)" != "$(trained balanced rows.svm)" ] || fail 'weights make no difference'
}

@test "loss and error of weighted rows are those of rows that are there several times" {
    dsgd-shard -q --balance -o balanced rows.svm
    { cat rows.svm; tail -n 1 rows.svm; tail -n 1 rows.svm; } > repeated.svm
    alike "$(trained balanced balanced)" "$(trained balanced repeated.svm)"
}

@test "held-out rows are not balanced" {
    for i in 1 2 3 4 5; do cat rows.svm; done > many.svm
    dsgd-shard -q --balance --hold-out 0.5 --hold-out-file held -o train many.svm
    [ "$(rows --weights train | sort -u | wc -l)" -gt 1 ] || fail 'the others are not balanced'
    run -0 rows --weights held
    assert_output "$(yes 1 | head -n 10)"
}

@test "balanced shards of one data set count alike together, and are dealt out as ever" {
    for i in 1 2 3 4 5; do cat rows.svm; done > many.svm
    dsgd-shard -q --balance -n 3 -o 's-%d' many.svm
    dsgd-shard -q -n 3 -o 'p-%d' many.svm
    assert_equal "$(rows s-0 s-1 s-2)" "$(rows p-0 p-1 p-2)"
    run -0 awk '{ sum += $1 } END { printf "%.5f\n", sum }' <(for k in 0 1 2; do rows --weights s-$k; done)
    assert_output 20.00000
}

@test "targets cannot be balanced" {
    seq 1 70000 | awk '{ print $1 / 7 " 1:1" }' > targets.svm
    refuse 2 "targets.svm: --balance: labels are targets, not classes" --balance "$PWD/targets.svm"
}
