# Rows on their way into shards: scaled, held out, dealt out by class, like those of another shard.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Rows of all these files, in an order of their own.
all_rows() {
    rows "$@" | sort
}

# digits N: the first N of those that come along.
digits() {
    gzip -dc "$top_srcdir/share/data/digits-train.csv.gz" | awk -v n="$1" 'NR <= n' > digits.csv
}

@test "features are scaled by what their rows have in common" {
    printf '0,0,3\n0,4,4\n1,8,5\n1,12,6\n1,16,7\n' > rows.csv
    options=(--no-header --label-column 1 rows.csv)
    run -0 read_rows --scale minmax "${options[@]}"
    assert_output $'0 1:0 2:0\n0 1:0.25 2:0.25\n1 1:0.5 2:0.5\n1 1:0.75 2:0.75\n1 1:1 2:1'
    run -0 rows --meta data s
    assert_output '{"format":"csv","header":false,"label_column":1,"scaling":{"method":"minmax","shift":[0.0,3.0],"factor":[0.0625,0.25]}}'
    run -0 read_rows --scale maxabs "${options[@]}"
    assert_line -n 4 '1 1:1 2:1'
    assert_line -n 1 '0 1:0.25 2:0.571428597'
    run -0 read_rows --scale standard "${options[@]}"
    assert_output $'0 1:-1.41421354 2:-1.41421354\n0 1:-0.707106769 2:-0.707106769\n1 1:0 2:0\n1 1:0.707106769 2:0.707106769\n1 1:1.41421354 2:1.41421354'
    run -0 read_rows --scale unit "${options[@]}"
    assert_line -n 1 '0 1:0.707106769 2:0.707106769'
    run -0 read_rows --scale none "${options[@]}"
    assert_line -n 1 '0 1:4 2:4'
}

@test "a feature that is constant keeps its size, a row of zeros its zeros" {
    printf '0,7,0\n1,7,0\n' > rows.csv
    for method in minmax standard; do
        run -0 read_rows --scale $method --no-header --label-column 1 rows.csv
        assert_output $'0 1:0 2:0\n1 1:0 2:0'
    done
    printf '0,0,0\n1,3,4\n' > rows.csv
    run -0 read_rows --scale unit --no-header --label-column 1 rows.csv
    assert_output $'0 1:0 2:0\n1 1:0.600000024 2:0.800000012'
}

@test "sparse rows stay sparse: what would fill their zeros is refused" {
    printf '1 1:-4 3:2\n0 2:5\n1 1:2\n' > rows.svm
    run -0 read_rows --scale maxabs rows.svm
    assert_output $'1 1:-1 3:1\n0 2:1\n1 1:0.5'
    run -0 read_rows --scale unit rows.svm
    assert_output $'1 1:-0.89442718 3:0.44721359\n0 2:1\n1 1:1'
    refuse 2 'rows.svm: --scale standard would fill the zeros of sparse rows' --scale standard "$PWD/rows.svm"
    refuse 2 'rows.svm: --scale minmax would fill the zeros' --scale minmax "$PWD/rows.svm"
}

@test "bytes count what they are when that is asked for, and floats when they are scaled" {
    d=$(data 09-idx-counts)
    run -0 read_rows --scale none "$d/images.idx" --labels "$d/labels.idx"
    assert_line -n 3 '7 1:255 2:0 3:255 4:0'
    run -0 rows --meta scale s
    assert_output 1
    run -0 read_rows --scale maxabs "$d/images.idx" --labels "$d/labels.idx"
    assert_line -n 3 '7 1:1 2:0 3:1 4:0'
}

@test "a model knows how its data were scaled: raw data are scored as they are" {
    digits 300
    options=(--no-header --label-column 65)
    for method in none minmax maxabs standard unit; do
        dsgd-shard -q --scale $method --split sequential "${options[@]}" digits.csv
        dsgd-sim -q -m softmax -P 2 -d const:1s -J 20 -o model shard-0
        dsgd-eval -m model shard-0 > by-shard
        dsgd-eval -m model digits.csv > by-file
        cmp by-shard by-file
    done
}

@test "data that are scaled otherwise than the others are refused" {
    digits 60
    options=(-q --no-header --label-column 65 digits.csv)
    dsgd-shard -o plain "${options[@]}"
    dsgd-shard -o scaled --scale standard "${options[@]}"
    dsgd-shard -o other --scale standard --hold-out 0.5 --hold-out-file half "${options[@]}"
    dsgd-sim -q -m softmax -P 1 -d const:1s -J 2 -o model scaled
    run -3 dsgd-eval -m model plain
    assert_output 'dsgd-eval: plain: its rows are scaled by nothing, those of the model by standard'
    run -3 dsgd-eval -m model other
    assert_output --partial 'standard with other numbers (see dsgd-shard --like)'
    run -3 dsgd-sim -q -m softmax -d const:1s -J 2 scaled plain
    assert_output --partial 'plain: its rows are scaled by nothing, those of scaled by standard'
    run -3 dsgd-shard -o again scaled plain
    run dsgd-ps -q -P 2 -m softmax -J 2 -x 'dsgd-worker -q scaled' -x 'dsgd-worker -q plain'
    assert_failure
    assert_output --partial 'are scaled by'
    refuse 2 'scaled: rows that are scaled already' --scale minmax "$PWD/scaled"
}

@test "rows that are held out are in no shard, and no part of the scaling" {
    digits 100
    options=(-q --no-header --label-column 65 digits.csv)
    dsgd-shard -n 3 --hold-out 0.25 --hold-out-file test "${options[@]}"
    run -0 dsgd-shard --info test
    assert_line -n 1 --regexp $'^test\t25\t'
    dsgd-shard -o whole "${options[@]}"
    all_rows shard-0 shard-1 shard-2 test > parts
    all_rows whole > rows
    cmp parts rows
    printf '0,1\n1,2\n0,3\n1,100\n' > rows.csv
    dsgd-shard -q -o s --split sequential --scale minmax --hold-out 0.25 --hold-out-file test \
        --no-header --label-column 1 rows.csv
    run -0 rows s test
    assert_output $'0 1:0\n1 1:0.5\n0 1:1\n1 1:49.5'
    refuse 2 '--hold-out and --hold-out-file go together' --hold-out 0.25 "$PWD/rows.csv"
    refuse 2 '4 shards of 3 rows' -n 4 --hold-out 0.1 --hold-out-file test --no-header --label-column 1 \
        "$PWD/rows.csv"
    refuse 2 'must be between 0 and 1' --hold-out 1 --hold-out-file test "$PWD/rows.csv"
}

@test "rows like those of a shard have its scaling, classes, width and way of reading" {
    printf 'cat,1,10\ndog,3,20\nfox,5,30\n' > train.csv
    printf 'fox,2,40\ncat,4,10\n' > test.csv
    dsgd-shard -q -o train --split sequential --scale minmax --no-header --label-column 1 train.csv
    run -0 read_rows --like train test.csv
    assert_output $'fox 1:0.25 2:1.5\ncat 1:0.75 2:0'
    rows --meta classes train > a
    rows --meta classes s > b
    assert_equal "$(grep -o '"[a-z]*",null' b)" "$(grep -o '"[a-z]*",null' a)"
    assert_equal "$(rows --meta data s)" "$(rows --meta data train)"
    printf '1 1:1 4:2\n0 2:1\n' > wide.svm
    printf '0 1:1\n' > narrow.svm
    printf '0 1:1 9:1\n' > wider.svm
    dsgd-shard -q -o wide --zero-based wide.svm
    run -0 read_rows --like wide narrow.svm
    run -0 dsgd-shard --info s
    assert_line -n 1 --regexp $'^s\t1\t5\t'
    run -0 read_rows --like wide wider.svm
    assert_output '0 2:1'
    refuse 2 '--scale and --like' --like "$PWD/train" --scale unit "$PWD/test.csv"
}

@test "shards by class have as few classes as can be; every row is there once" {
    digits 200
    options=(-q --no-header --label-column 65 digits.csv)
    dsgd-shard -o whole "${options[@]}"
    all_rows whole > rows
    dsgd-shard -n 5 --split label "${options[@]}"
    for k in 0 1 2 3 4; do
        [ "$(rows shard-$k | cut -d ' ' -f 1 | sort -u | wc -l)" -le 4 ]
        assert_equal "$(rows shard-$k | wc -l)" 40
    done
    all_rows shard-? > parts
    cmp parts rows
}

@test "a Dirichlet law deals classes out unevenly when its parameter is small, evenly when it is large" {
    digits 400
    options=(-q --no-header --label-column 65 digits.csv)
    dsgd-shard -o whole "${options[@]}"
    all_rows whole > rows
    # The mean over shards of the largest class's part.
    spread() {
        for k in 0 1 2 3; do
            rows shard-$k | cut -d ' ' -f 1 | sort | uniq -c | awk '
                { n += $1; if ($1 > most) most = $1 } END { print most / n }'
        done | awk '{ sum += $1 } END { print sum / NR }'
    }
    dsgd-shard -n 4 --split dirichlet:0.05 "${options[@]}"
    all_rows shard-? > parts
    cmp parts rows
    uneven=$(spread)
    dsgd-shard -n 4 --split dirichlet:alpha=1000 "${options[@]}"
    all_rows shard-? > parts
    cmp parts rows
    even=$(spread)
    awk -v a="$uneven" -v b="$even" 'BEGIN { exit !(a > 0.3 && b < 0.15) }' || fail "$uneven, $even"
    dsgd-shard -n 60 --split dirichlet:0.001 "${options[@]}"
    run -0 dsgd-shard --info shard-?? shard-?
    refute_line --regexp $'^shard-[0-9]*\t0\t'
    printf '0.5 1:1\n' > one.svm
    seq 70000 | awk '{ print $1 / 7 " 1:1" }' > targets.svm
    refuse 2 'targets.svm: --split dirichlet: labels are targets' --split dirichlet:1 "$PWD/targets.svm"
    refuse 2 'alpha' --split dirichlet "$PWD/one.svm"
}

@test "a shard and the file of what is held out are never one file" {
    seq 1 20 | awk '{ print $1 % 2 " 1:" $1 }' > rows.svm
    for options in '-n 2 -o k-%d --hold-out-file k-1' '-o k --hold-out-file k' '-n 3 -o k-%d --hold-out-file ./k-0' \
        '-o - --hold-out-file -'; do
        # shellcheck disable=SC2086 # a list of options
        refuse 2 '--output and --hold-out-file are the same' --hold-out 0.5 $options "$PWD/rows.svm"
    done
}

@test "small values of alpha put every class into one shard, however small" {
    seq 1 200 | awk '{ print $1 % 2 " 1:" $1 }' > rows.svm
    for alpha in 1e-2 1e-4 1e-5 1e-9 1e-320; do
        dsgd-shard -q -n 4 -o 's-%d' --split dirichlet:$alpha rows.svm
        run -0 awk 'NR > 1 && $2 > 1 { sum += $2; n++ } END { print (sum >= 196 && n <= 2) }' <(dsgd-shard --info s-?)
        assert_output 1
    done
}

@test "--like names a label that the shard does not have" {
    printf '1 1:1\n-1 1:2\n' > a.svm
    printf '1 1:1\n0 1:2\n' > b.svm
    dsgd-shard -q -o a a.svm
    run -0 dsgd-shard -o b --like a b.svm
    assert_line 'dsgd-shard: b.svm:2: label 0: a has no such class (1 label that it does not have)'
}
