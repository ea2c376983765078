#!/usr/bin/env bats
# dsgd-eval --constants: against a quadratic whose answers are known, and against dense linear algebra.

setup() {
    load lib/common.bash
    load lib/models.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Columns of the row on stdin against NAME VALUE lines of a file, to a relative error; NA is NA.
#   agrees ERROR FILE
agrees() {
    awk -v most="$1" '
        NR == FNR { if (NF) want[$1] = $2; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            for (name in want) {
                got = $at[name]
                off = got - want[name]
                size = want[name] < 0 ? -want[name] : want[name]
                good = got == want[name] || (got != "NA" && want[name] != "NA" && off <= most * size && -off <= most * size)
                if (!good) { print name ": got " got ", want " want[name]; bad = 1 }
                checked++
            }
        }
        END { exit bad || !checked }' "$2" -
}

# Rows +-a_j along axis j, a = 2, 1, 0.5, targets y = x.w + 1, w = 1 2 -1: the second derivatives are
# diag(8, 2, 0.5) / 6, the minimum is at w, and there F is 1/2 and row i's gradient is -x_i.
quadratic() {
    cat > rows.svm <<'R'
3 1:2
-1 1:-2
3 2:1
-1 2:-1
0.5 3:0.5
1.5 3:-0.5
R
}

@test "a quadratic's constants are those worked out by hand, from any model of it" {
    quadratic
    cat > want <<'W'
L 1.3333333333333333
c 0.083333333333333333
sigma2 2.1
gap 1.375
gamma NA
p0 NA
m_g 2.4
loss 1.875
fstar 0.5
loss_min 0.5
c_way 0.81060606060606061
model least-squares
l2 0
W
    model least-squares 9 '[]' 1 1 2 -1 > m
    run -0 --separate-stderr dsgd-eval -m m --constants rows.svm
    assert_equal "$stderr" ''
    agrees 1e-6 want <<< "$output"
    # From another model: the noise is that of other parameters, and all the rest is the same. At 0 it is 7.45.
    model least-squares 9 '[]' 1 0 0 0 > m
    sed -i 's/^sigma2 .*/sigma2 7.45/; s/^m_g .*/m_g 0/' want
    run -0 dsgd-eval -m m --constants rows.svm
    agrees 1e-6 want <<< "$output"
}

@test "a penalty moves curvatures and minimum as it must" {
    quadratic
    model least-squares 9 '[]' 1 1 2 -1 > m
    awk 'BEGIN {
        l = 0.5; split("8 2 0.5", a); split("1 2 -1", w)
        for (j = 1; j <= 3; j++) {
            h = a[j] / 6; v = h * w[j] / (h + l)
            loss += h * (v - w[j]) ^ 2 / 2; norm += v * v
        }
        printf "L %.17g\nc %.17g\n", 8 / 6 + l, 0.5 / 6 + l
        printf "loss_min %.17g\nfstar %.17g\ngap %.17g\n", 0.5 + loss, 0.5 + loss + l * norm / 2, 1.375 - loss - l * norm / 2
        print "sigma2 2.1\nl2 0.5"
    }' > want
    run -0 dsgd-eval -m m --constants --l2 0.5 rows.svm
    agrees 1e-6 want <<< "$output"
}

@test "directions that no data show are not the smallest curvature" {
    quadratic
    model least-squares 9 '[]' 1 1 2 -1 0 0 > m # features 4 and 5 are never there
    printf 'L 1.3333333333333333\nc 0.083333333333333333\ngap 1.375\n' > want
    run -0 dsgd-eval -m m --constants rows.svm
    agrees 1e-6 want <<< "$output"
}

@test "a hinge has no L, its c is the penalty, and its minimum is found at a kink" {
    printf '+1 1:1\n-1 1:-1\n' > rows.svm
    model hinge 9 "$two" 1 0 > m
    printf 'L NA\nc 0.5\ngap 0.75\nfstar 0.25\nsigma2 0\n' > want # F = max(0, 1 - w) + w^2 / 4
    run -0 --separate-stderr dsgd-eval -m m --constants --l2 0.5 rows.svm
    agrees 1e-6 want <<< "$output"
    assert_regex "$stderr" '^dsgd-eval: L: NA: the loss of hinge has kinks'
}

@test "a logistic model is measured alike from raw data, shards and JSON, with the penalty that it was trained with" {
    printf '+1 1:1 2:0.5\n-1 1:-1\n+1 2:1\n-1 1:0.5 2:-2\n+1 1:-0.2 2:0.1\n' > rows.svm
    dsgd-shard -q -n 2 -s 3 -o 's-%d' rows.svm
    dsgd-sim -q -P 1 -d const:1s -m logistic -b 5 -J 20 --l2 0.125 -o m rows.svm
    run -0 dsgd-eval -m m --constants rows.svm
    sed 's/\t/\n/g' <<< "${lines[1]}" | paste -d ' ' <(sed 's/\t/\n/g' <<< "${lines[0]}") - > want
    assert_equal "$(awk '$1 == "l2" { print $2 }' want)" 0.125
    run -0 dsgd-eval -m m --constants s-0 s-1
    agrees 1e-5 want <<< "$output"
    run -0 dsgd-eval -m m --constants --json rows.svm
    assert_equal "${#lines[@]}" 1
    assert_output --regexp '^\{"schema":"dsgd-eval-constants/1","L":[0-9.e-]+,"c":.*"gamma":null,"p0":null,.*"model":"logistic","l2":0.125\}$'
    run -0 dsgd-eval -m m --constants --l2 0 rows.svm
    assert_output --regexp $'\t0$'
}

@test "what says nothing of a gradient is refused, and one row has no variance" {
    quadratic
    model logistic 1 "$two" 1 1 0 > m
    printf '+1 1:1\n7 1:2\n' > unseen.svm
    run -3 --separate-stderr dsgd-eval -q -m m --constants unseen.svm
    assert_equal "$output" ''
    assert_regex "$stderr" 'unseen.svm: a label that the model never saw has no gradient'
    model least-squares 9 '[]' 1 1 > m
    printf '1 1:2\n' > one.svm
    printf 'sigma2 NA\nm_g NA\nL 4\nc 4\ngap 0.5\n' > want
    run -0 dsgd-eval -m m --constants one.svm
    agrees 1e-6 want <<< "$output"
}

# bats test_tags=data
@test "softmax on digits agrees with dense linear algebra" {
    "$python" -c 'import numpy' 2> /dev/null || skip "no numpy"
    gzip -dc "$top_srcdir/share/data/digits-train.csv.gz" |
        awk -F , -v OFS=, '{ for (i = 1; i < NF; i++) $i /= 16; print }' | head -n 600 > digits.csv
    dsgd-shard -q -n 2 -o 's-%d' --no-header --label-column 65 digits.csv
    dsgd-sim -q -P 2 -d const:1s -m softmax -e 0.5 -J 100 --l2 0.01 -o m s-0 s-1
    "$python" "$top_srcdir/tests/lib/constants.py" digits.csv m 0.01 > want
    cat want
    run -0 --separate-stderr dsgd-eval -m m --constants s-0 s-1
    assert_equal "$stderr" ''
    agrees 1e-4 want <<< "$output"
}
