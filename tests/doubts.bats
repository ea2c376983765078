#!/usr/bin/env bats
# What data and files look like when they are not what was meant: the answer names the fault, not a
# consequence of it.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

@test "a fault in the first row of libsvm text is answered as libsvm's, without -f" {
    while IFS='|' read -r text answer; do
        printf '%b' "$text" > rows.svm
        refuse 3 "rows.svm:$answer" "$PWD/rows.svm"
    done <<'X'
1 0:5\n|1: feature index 0: indices start at 1
1 0:5|1: feature index 0: indices start at 1
1 1:x\n|1: value 'x' is not a number
1 1.5:2\n|1: '1.5:2' is not INDEX:VALUE
1 +1:5\n|1: '+1:5' is not INDEX:VALUE
1 :2\n|1: ':2' is not INDEX:VALUE
1 5 2:3\n|1: '5' is not INDEX:VALUE
1 2=3\n1 2:3\n|1: '2=3' is not INDEX:VALUE
# remark\n\n1 2=3 # 1:2\n\n-1 2:3\n|3: '2=3' is not INDEX:VALUE
X
}

@test "text that only resembles libsvm's is still CSV" {
    printf 'when,x\n1:2,5\n3 4:5,6\n' > times.csv
    run -0 dsgd-shard -o s --label-column when times.csv
    assert_equal "$(rows s | sort)" $'1:2 1:5\n3 4:5 1:6'
    printf 'x\n1\n2\n' > column.csv
    refuse 2 'column.csv: CSV needs --label-column' "$PWD/column.csv"
}

@test "files that are blank or hold remarks alone have no rows" {
    for text in '\n\n' ' \n\t\n' '# a remark' '# a remark\n# and another\n\n'; do
        printf "$text" > none.svm
        refuse 3 'none.svm: no rows' "$PWD/none.svm"
    done
}

@test "a header of numbers alone is taken, and said" {
    printf '1,2\n3,4\n5,6\n' > numbers.csv
    run -0 --separate-stderr dsgd-shard -o s --label-column 1 numbers.csv
    assert_equal "${stderr_lines[0]}" 'dsgd-shard: numbers.csv:1: taken for the names of the columns, but all are numbers: --no-header if it is a row'
    run -0 --separate-stderr dsgd-shard -q -o s --label-column 1 numbers.csv
    assert_equal "$stderr" ''
    printf 'y,2\n3,4\n5,6\n' > named.csv
    run -0 --separate-stderr dsgd-shard -o s --label-column 1 named.csv
    refute_regex "$stderr" 'names of the columns'
    run -0 --separate-stderr dsgd-shard -o s --no-header --label-column 1 numbers.csv
    refute_regex "$stderr" 'names of the columns'
}

# A tar of two members of a block each, cut behind so many blocks of 512 bytes.
tar_of() {
    printf '1 1:2\n' > one.svm
    printf -- '-1 2:2\n' > two.svm
    tar cf whole.tar one.svm two.svm
    head -c $((512 * $1)) whole.tar > cut.tar
}

@test "a tar without its end is refused where it was cut, also between members" {
    tar_of 2
    refuse 3 'cut.tar: the archive ends early' "$PWD/cut.tar"
    tar_of 4
    refuse 3 'cut.tar: the archive ends early' "$PWD/cut.tar"
    refuse 3 '<stdin>: the archive ends early' - < cut.tar
    gzip -n cut.tar
    refuse 3 'cut.tar.gz: the archive ends early' "$PWD/cut.tar.gz"
    tar_of 5
    dsgd-shard -q -o s --split sequential cut.tar
    assert_equal "$(rows s)" $'1 1:2\n-1 2:2'
}

@test "what is no shard or model is called what it is" {
    printf '1 1:2\n-1 2:2\n' > rows.svm
    gzip -nk rows.svm
    for pair in 'rows.svm|text: dsgd-shard makes shards of it' 'rows.svm.gz|gzip data: unpack it first (gzip -d)'; do
        run -3 dsgd-shard --info "${pair%|*}"
        assert_output "dsgd-shard: ${pair%|*}: not a safetensors record, but ${pair#*|}"
        run -3 dsgd-eval -m "${pair%|*}" rows.svm
        assert_output "dsgd-eval: ${pair%|*}: not a safetensors record, but ${pair#*|}"
    done
    head -c 64 /dev/zero > zeros
    run -3 dsgd-shard --info zeros
    assert_output 'dsgd-shard: zeros: not a safetensors record: header of 0 bytes, allowed are 2 to 67108864'
}

@test "--info - has a row for each shard of a stream" {
    printf '1 1:2\n-1 2:2\n1 3:1\n' > rows.svm
    dsgd-shard -q -n 2 -o 's-%d' rows.svm
    dsgd-shard --info s-0 s-1 > want
    cat s-0 s-1 | dsgd-shard --info - | sed '2s/<stdin>/s-0/; 3s/<stdin>/s-1/' > got
    diff want got
    run -3 dsgd-shard --info - < /dev/null
    assert_output 'dsgd-shard: <stdin>: no shard'
    head -c -1 s-0 > cut
    run -3 dsgd-shard --info - < cut
    assert_output --regexp '^dsgd-shard: <stdin>: a record ends at its byte [0-9]+'
}

@test "labels are needed for scores, not for predictions" {
    command -v "$python" > /dev/null || skip "no python3"
    printf 'y,a,b\n1,2,0\n-1,-2,1\n1,1,1\n' > train.csv
    dsgd-shard -q -o shard --label-column y train.csv
    dsgd-sim -q -P 1 -d const:1s -m logistic -J 20 -o m shard
    dsgd-eval -m m --predict train.csv > want
    printf 'a,b\n2,0\n-2,1\n1,1\n' > bare.csv
    dsgd-eval -m m --predict bare.csv | diff want -
    run -3 dsgd-eval -m m bare.csv
    assert_output --partial "no column 'y'"
    run -3 dsgd-eval -m m --predict --label-column y bare.csv
    assert_output --partial "no column 'y'"
    # By number: as wide as the model is without, one wider is with.
    tail -n +2 train.csv > train
    tail -n +2 bare.csv > bare
    dsgd-shard -q -o shard --no-header --label-column 1 train
    dsgd-sim -q -P 1 -d const:1s -m logistic -J 20 -o m shard
    dsgd-eval -m m --predict train | diff want -
    dsgd-eval -m m --predict bare | diff want -
    # A model that knows nothing of CSV: all columns are features.
    printf '1 1:2\n-1 1:-2 2:1\n1 1:1 2:1\n' > train.svm
    dsgd-sim -q -P 1 -d const:1s -m logistic -J 20 -o m train.svm
    dsgd-eval -m m --predict bare.csv | diff want -
}

@test "images and arrays are predicted without labels" {
    d=$(data 09-idx-counts)
    dsgd-shard -q -o shard --labels "$d/labels.idx" "$d/images.idx"
    dsgd-sim -q -P 1 -d const:1s -m softmax -J 20 -o m shard
    dsgd-eval -m m --predict --labels "$d/labels.idx" "$d/images.idx" > want
    dsgd-eval -m m --predict "$d/images.idx" | diff want -
    run -2 dsgd-eval -m m "$d/images.idx"
    assert_output --partial 'needs --labels'
}

@test "shards whose columns have other names do not go together, in dsgd-ps and dsgd-sim" {
    printf 'y,a,b\n1,2,3\n-1,4,5\n' > ab.csv
    printf 'y,b,a\n1,2,3\n-1,4,5\n' > ba.csv
    printf 'y,a,b,c\n1,2,3,4\n-1,4,5,6\n' > abc.csv
    for name in ab ba abc; do
        dsgd-shard -q -o "$name" --label-column y "$name.csv"
    done
    run -3 dsgd-sim -P 2 -d const:1s -m logistic -J 1 -o m ab ba
    assert_output "dsgd-sim: ba: its feature 1 is 'b', that of ab 'a'"
    run -0 dsgd-sim -q -P 2 -d const:1s -m logistic -J 1 -o m ab abc
    run dsgd-ps -q --join-timeout 1s -m logistic -J 1 -o m2 -x 'dsgd-worker -q ab' -x 'dsgd-worker -q ba'
    assert [ "$status" -ne 0 ]
    assert_output --regexp "its feature 1 is '[ab]', that of .* '[ab]'"
    assert_not_exists m2
    run -0 dsgd-ps -q -m logistic -J 1 -o m2 -x 'dsgd-worker -q ab' -x 'dsgd-worker -q abc'
}
