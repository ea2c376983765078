#!/usr/bin/env bats
# CSV and TSV as people have them: categories and missing values.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Three passengers and what is known of them.
passengers() {
    printf 'y,age,sex,port\n1,20,m,S\n0,,f,\n1,40,m,C\n0,30,,S\n' > rows.csv
}

# A model of all columns of rows.csv, by the options given.
train() {
    dsgd-shard -q -o s --split sequential "$@" rows.csv
    dsgd-sim -q -m logistic -d const:1s -J 9 -o model s
}

@test "a column of categories becomes a feature for each, in the order of their bytes" {
    printf 'y,port,n\n1,S,4\n0,C,5\n1,Q,6\n' > rows.csv
    for columns in auto port 2 2-2; do
        run -0 read_rows --label-column y --categories $columns rows.csv
        assert_output $'1 1:0 2:0 3:1 4:4\n0 1:1 2:0 3:0 4:5\n1 1:0 2:1 3:0 4:6'
    done
    run -0 rows --meta data s
    assert_output '{"format":"csv","header":true,"label_column":"y","columns":["port=C","port=Q","port=S","n"],"categories":[["C","Q","S"],null]}'
    tail -n +2 rows.csv > bare.csv
    run -0 read_rows --no-header --label-column 1 --categories auto bare.csv
    run -0 rows --meta data s
    assert_output --partial '"columns":["2=C","2=Q","2=S","3"]'
    run -0 read_rows --label-column y --categories n,port rows.csv
    assert_line -n 0 '1 1:0 2:0 3:1 4:1 5:0 6:0'
}

@test "a first row that was taken for names is told of when its label is one of the labels" {
    printf '5.1,3.5,setosa\n4,3,setosa\n3,2,virginica\n' > rows.csv
    run -0 --separate-stderr dsgd-shard -o s --label-column 3 rows.csv
    assert_regex "$stderr" "rows.csv:1: taken for the names of the columns, but 'setosa' is a label below: --no-header"
    for header in 150,2,virgin a,b,setosa; do
        sed "1s/.*/$header/" rows.csv > named.csv
        run -0 --separate-stderr dsgd-shard -o s --label-column 3 named.csv
        refute_regex "$stderr" 'taken for the names'
    done
}

@test "a column of categories is no label, and one without any value has no mean" {
    printf 'y,w,a,b\n1,1,,2\n0,2,NA,3\n' > rows.csv
    refuse 2 '--categories: column number 1 is that of the label' --label-column y --categories b,1 "$PWD/rows.csv"
    refuse 2 '--categories: column number 2 is that of the weights' --label-column y --weight-column w --categories w "$PWD/rows.csv"
    run -0 --separate-stderr dsgd-shard -o s --missing mean --label-column y --weight-column w rows.csv
    assert_regex "$stderr" "column 'a' has no value in any row, so no mean: it tells nothing; 1 such column"
    printf '1 1:nan 2:1\n0 1:nan 2:nan\n' | dsgd-shard -o s --missing mean - 2> stderr
    grep -q "column '1' has no value" stderr
    run -0 --separate-stderr dsgd-shard -o s --missing mean --label-column y --weight-column w --drop-columns a rows.csv
    refute_regex "$stderr" 'no value'
}

@test "text where no categories are asked for is an error that says what to do" {
    printf 'y,a,b\n1,2,x\n0,z,w\n' > rows.csv
    refuse 3 "rows.csv:2: column 'b': 'x' is not a number (--categories takes columns of text, --drop-columns" \
        --label-column y "$PWD/rows.csv"
    refuse 3 "rows.csv:3: column 'a': 'z' is not a number (--categories, if the column is one)" \
        --label-column y --categories auto "$PWD/rows.csv"
    run -0 read_rows --label-column y --drop-columns b --categories a rows.csv
    assert_output $'1 1:1 2:0\n0 1:0 2:1'
    printf 'y,day\n1,2004-03-10\n0,2004-03-11\n' > rows.csv
    refuse 3 "rows.csv:2: column 'day': '2004-03-10' is not a number" --label-column y --categories auto "$PWD/rows.csv"
    printf 'y,a\n1,b\xff\n' > rows.csv
    refuse 3 "rows.csv:2: column 'a': the category is not UTF-8" --label-column y --categories a "$PWD/rows.csv"
}

@test "a column of more categories than can be features is refused, and can be hashed" {
    { echo y,name && seq -f '1,id%.0f' 1 1025 && echo 1,id3; } > rows.csv
    refuse 3 "rows.csv:1026: column 'name': more than 1024 categories ('id1' is the first): --hash-bits" \
        --label-column y --categories auto "$PWD/rows.csv"
    run -0 read_rows --label-column y --hash-bits 20 rows.csv
    assert_equal "${#lines[@]}" 1026
    assert_equal "${lines[1025]}" "${lines[2]}"
}

# The 32-bit FNV-1a hash of a text, folded to 2^B, from 1.
fnv() {
    "$python" -c '
import sys
h = 2166136261
for c in sys.argv[2].encode():
    h = (h ^ c) * 16777619 % 2**32
b = int(sys.argv[1])
print(((h ^ h >> b) % 2**b) + 1)' "$@"
}

@test "hashed columns are features of the hash of their names, categories of name=value; what meets is added" {
    printf 'y,a,b\n1,2.5,x\n0,0,y\n' > rows.csv
    run -0 read_rows --label-column y --hash-bits 24 rows.csv
    assert_equal "$(tr ' ' '\n' <<< "${lines[0]}" | sort)" "$(printf '1\n%s:2.5\n%s:1' "$(fnv 24 a)" "$(fnv 24 b=x)" | sort)"
    assert_equal "${lines[1]}" "0 $(fnv 24 b=y):1"
    run -0 rows --meta features s
    assert_output 16777216
    run -0 rows --meta data s
    assert_output '{"format":"csv","header":true,"label_column":"y","columns":["a","b"],"categories":[null,[]],"hash_bits":24}'
    read_rows --label-column y --hash-bits 1 rows.csv > two
    run -0 awk 'NR == 1 { for (i = 2; i <= NF; i++) { split($i, e, ":"); sum += e[2] } print sum }' two
    assert_output 3.5
    refuse 2 '--hash-bits 31: at most 30' --label-column y --hash-bits 31 "$PWD/rows.csv"
    run -0 dsgd-shard -q -o s --label-column y --hash-bits 6 rows.csv
    dsgd-sim -q -m logistic -d const:1s -J 3 -o model s
    diff <(dsgd-eval -m model s) <(dsgd-eval -m model rows.csv)
}

@test "missing values are an error, 0, the mean, or leave their rows out" {
    passengers
    options=(--label-column y --categories auto)
    refuse 3 "rows.csv:3: column 'age': the value is missing (--missing zero, mean or drop)" "${options[@]}" "$PWD/rows.csv"
    run -0 read_rows "${options[@]}" --missing zero rows.csv
    assert_output $'1 1:20 2:0 3:1 4:0 5:1\n0 1:0 2:1 3:0 4:0 5:0\n1 1:40 2:0 3:1 4:1 5:0\n0 1:30 2:0 3:0 4:0 5:1'
    run -0 read_rows "${options[@]}" --missing mean rows.csv
    assert_output $'1 1:20 2:0 3:1 4:0 5:1\n0 1:30 2:1 3:0 4:0 5:1\n1 1:40 2:0 3:1 4:1 5:0\n0 1:30 2:0 3:1 4:0 5:1'
    run -0 dsgd-shard -o s --split sequential "${options[@]}" --missing drop rows.csv
    assert_output $'dsgd-shard: rows.csv:3: a value is missing; 2 such rows are left out\ndsgd-shard: 2 rows, 5 features, 1 class, 10 stored values'
    run -0 rows s
    assert_output $'1 1:20 2:0 3:1 4:0 5:1\n1 1:40 2:0 3:1 4:1 5:0'
    refuse 3 'no rows' "${options[@]}" --missing drop "$PWD/none.csv" < <(printf 'y,a\n1,?\n' > none.csv)
}

@test "nothing, ?, NA, NaN and what --na names are missing; a number among these stands for its value" {
    printf 'y,a\n1,?\n1,NA\n1,nan\n1,\n1,-200.0\n1,none\n1,8\n0,2\n' > rows.csv
    run -0 read_rows --label-column y --missing mean --na none,-200 rows.csv
    assert_output $'1 1:5\n1 1:5\n1 1:5\n1 1:5\n1 1:5\n1 1:5\n1 1:8\n0 1:2'
    run -0 rows --meta data s
    assert_output '{"format":"csv","header":true,"label_column":"y","columns":["a"],"na":"none,-200","missing":{"method":"mean","fill":[5.0]}}'
    refuse 3 "rows.csv:2: column 'a': '?': the value is missing" --label-column y "$PWD/rows.csv"
    refuse 3 "rows.csv:7: column 'a': 'none' is not a number" --label-column y --missing zero "$PWD/rows.csv"
}

@test "nan in libsvm data and in arrays is missing as well" {
    printf '1 1:nan 2:3\n0 2:4 3:-200\n1 1:2 2:6\n' > rows.svm
    refuse 3 "rows.svm:1: value 'nan': it is missing (--missing zero, mean or drop)" "$PWD/rows.svm"
    run -0 read_rows --missing mean --na -200 rows.svm
    assert_output $'1 1:1 2:3\n0 2:4 3:0\n1 1:2 2:6'
    run -0 read_rows --missing zero rows.svm
    assert_line -n 0 '1 1:0 2:3'
    run -0 read_rows --missing drop --na -200 rows.svm
    assert_output '1 1:2 2:6'
    npy '<f4' '(3, 2)' '\0\0\x80\x3f\0\0\xc0\x7f\0\0\0\x40\0\0\0\x40\0\0\x80\x3f\0\0\x80\x40' > rows.npy
    npy '|u1' '(3,)' '\1\0\1' > y.npy
    refuse 3 'rows.npy: row 1: number 2 is missing' "$PWD/rows.npy" --labels "$PWD/y.npy"
    run -0 read_rows --missing mean rows.npy --labels y.npy
    assert_output $'1 1:1 2:3\n0 1:2 2:2\n1 1:1 2:4'
    run -0 dsgd-shard -o s --split sequential --missing drop rows.npy --labels y.npy
    assert_line -n 0 'dsgd-shard: rows.npy: row 1: a value is missing; 1 such row is left out'
    run -0 rows s
    assert_output $'0 1:2 2:2\n1 1:1 2:4'
}

@test "nan in a sparse matrix of SciPy's is missing as well" {
    npy '|S3' '()' csr > format.npy
    npy '<i4' '(2,)' '\3\0\0\0\2\0\0\0' > shape.npy
    npy '<f4' '(4,)' '\0\0\xc0\x7f\0\0\0\x40\0\0\x80\x40\0\0\x80\x3f' > data.npy
    npy '|u1' '(4,)' '\0\1\0\0' > indices.npy
    npy '|u1' '(4,)' '\0\2\3\4' > indptr.npy
    npy '|u1' '(3,)' '\1\0\1' > y.npy
    "$python" -m zipfile -c sparse.npz indices.npy indptr.npy format.npy shape.npy data.npy
    refuse 3 'sparse.npz: row 1: column 1 is missing (--missing zero, mean or drop)' "$PWD/sparse.npz" --labels "$PWD/y.npy"
    run -0 read_rows --missing mean sparse.npz --labels y.npy
    assert_output $'1 1:2.5 2:2\n0 1:4\n1 1:1'
    run -0 read_rows --missing drop sparse.npz --labels y.npy
    assert_output $'0 1:4\n1 1:1'
    printf 'y,a\n1,2\n0,3\n' > rows.csv
    refuse 3 ': no table, and there is one before' --label-column y "$PWD/rows.csv" "$PWD/sparse.npz"
}

@test "means are those of the rows trained on: not of rows held out, not of the file that is scored" {
    { echo y,a && for i in 1 2 3 4 5 6; do echo "$((i % 2)),$i"; done && printf '1,\n0,100\n'; } > rows.csv
    dsgd-shard -q -o s --split sequential --missing mean --hold-out 0.25 --hold-out-file held --label-column y rows.csv
    run -0 rows held
    assert_output $'1 1:3.5\n0 1:100'
    dsgd-sim -q -m logistic -d const:1s -J 9 -o model s
    printf 'y,a\n1,\n0,50\n' > test.csv
    printf 'y,a\n1,3.5\n0,50\n' > filled.csv
    diff <(dsgd-eval -m model test.csv) <(dsgd-eval -m model filled.csv)
    dsgd-shard -q -o like --split sequential --like s test.csv
    run -0 rows like
    assert_output $'1 1:3.5\n0 1:50'
    run -0 dsgd-eval -m model --missing zero test.csv
    refute_output "$(dsgd-eval -m model test.csv)"
    printf 'y,a\n1,2\n0,4\n1,\n' > rows.csv
    run -0 read_rows --missing mean --scale minmax --label-column y rows.csv
    assert_output $'1 1:0\n0 1:1\n1 1:0.5'
}

@test "a model knows columns, categories and means: raw data are scored as its shards are" {
    passengers
    for rule in zero mean drop; do
        train --label-column y --categories auto --missing $rule --scale standard
        diff <(dsgd-eval -m model s) <(dsgd-eval -m model rows.csv 2> told)
        run grep -c 'left out' told
        [ "$rule" = drop ] && expected=1 || expected=0
        assert_output $expected
    done
}

@test "of rows to predict none is left out, whatever is missing" {
    passengers
    train --label-column y --categories auto --missing drop
    run -3 dsgd-eval -m model --predict rows.csv
    assert_output "dsgd-eval: rows.csv:3: column 'age': the value is missing (--missing zero, mean or drop)"
    run -0 dsgd-eval -m model --predict --missing zero rows.csv
    assert_equal "${#lines[@]}" 4
    sed 's/^[01]/?/' rows.csv > unknown.csv
    cut -d , -f 2- rows.csv > without.csv
    for file in unknown without; do
        run -0 dsgd-eval -m model --predict --missing zero $file.csv
        assert_equal "${#lines[@]}" 4
    done
}

@test "a category that the model does not know sets no feature, and is named once" {
    printf 'y,port\n1,S\n0,C\n1,S\n' > rows.csv
    train --label-column y --categories auto
    printf 'y,port\n1,S\n0,X\n1,Y\n' > test.csv
    run -0 --separate-stderr dsgd-eval -m model test.csv
    assert_equal "$stderr" "dsgd-eval: test.csv:3: column 'port': 'X' is no category that the model knows; 2 such values set no feature"
    dsgd-shard -q -o like --split sequential --like s test.csv
    run -0 rows like
    assert_output $'1 1:0 2:1\n0 1:0 2:0\n1 1:0 2:0'
    printf 'y,port,more\n1,S,2\n' > test.csv
    run -3 dsgd-eval -m model test.csv
    assert_output 'dsgd-eval: test.csv:2: 2 columns of features, the model was trained on 1'
}

@test "columns in another order are no data for a model, nor to be like a shard" {
    printf 'a,y,b\n1,1,2\n3,0,4\n' > rows.csv
    train --label-column y
    printf 'b,y,a\n1,1,2\n3,0,4\n' > other.csv
    run -3 dsgd-eval -m model other.csv
    assert_output --partial "feature 1 is 'b', the model learned from 'a'"
    refuse 3 "other.csv: feature 1 is 'b', that of $PWD/s 'a'" --like "$PWD/s" "$PWD/other.csv"
}

@test "workers whose categories differ are refused, and means are for dsgd-shard to find" {
    printf 'y,port\n1,S\n0,C\n1,S\n' > rows.csv
    printf 'y,port\n1,S\n0,A\n1,S\n' > other.csv
    run -3 dsgd-sim -q -m logistic -d const:1s -J 3 --label-column y --categories auto rows.csv other.csv
    assert_output --regexp "feature 1 is 'port=A', .*'port=C'"
    printf 'y,port\n1,C\n0,S\n1,X\n' > other.csv
    run -3 dsgd-sim -q -m logistic -d const:1s -J 3 --label-column y --categories auto rows.csv other.csv
    assert_output --partial 'other.csv: its data have categories [["C", "S", "X"]], those of rows.csv have [["C", "S"]]'
    printf 'y,a\n1,\n0,1\n' > rows.csv
    run -2 dsgd-sim -q -m logistic -d const:1s -J 3 --label-column y --missing mean rows.csv
    assert_output --partial 'rows.csv: --missing mean: the means are not known: dsgd-shard finds them'
    run -0 dsgd-sim -q -m logistic -d const:1s -J 3 -o model --label-column y --missing zero rows.csv
}
