#!/usr/bin/env bats
# CSV and TSV as people have them: categories, missing values, columns that are left out, other separators.
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

@test "columns are left out by name, number and range, also of data that are read later" {
    printf 'id,a,y,note,b\n7,1,1,"x, y",2\n8,3,0,,4\n' > rows.csv
    for list in id,note 1,4 note,1-1; do
        run -0 read_rows --label-column y --drop-columns $list rows.csv
        assert_output $'1 1:1 2:2\n0 1:3 2:4'
    done
    run -0 read_rows --label-column y --drop-columns 1-2,note rows.csv
    assert_output $'1 1:2\n0 1:4'
    run -0 rows --meta data s
    assert_output '{"format":"csv","header":true,"label_column":"y","columns":["b"],"dropped":["id","a","note"]}'
    train --label-column y --drop-columns id,note
    diff <(dsgd-eval -m model s) <(dsgd-eval -m model rows.csv)
    printf 'a,y,b\n1,1,2\n3,0,4\n' > less.csv
    diff <(dsgd-eval -m model s) <(dsgd-eval -m model less.csv)
    refuse 3 "rows.csv:1: no column 'nix' among the 5: id, a, y, note, b" --label-column y --drop-columns nix "$PWD/rows.csv"
    refuse 3 'rows.csv:1: no column 6: they count from 1 to 5' --label-column y --drop-columns 4-6 "$PWD/rows.csv"
    refuse 2 "--drop-columns: '4-2': the range ends before it begins" --label-column y --drop-columns 4-2 "$PWD/rows.csv"
    refuse 2 'rows.svm: --drop-columns goes with CSV and TSV, this is libsvm' --drop-columns 1 "$PWD/rows.svm" \
        < <(echo '1 1:1' > rows.svm)
}

@test "case 06: one column as the feature, quotes and line ends in those left out" {
    d=$(data 06-csv-quotes)
    run -0 read_rows --label-column label --drop-columns id,remark "$d/rows.csv"
    assert_output $'1 1:2.5\n0 1:3.5\n1 1:4.5\n0 1:5.5'
    refuse 3 'unclosed.csv:3: ' --label-column label --drop-columns id,remark "$d/unclosed.csv"
    refuse 3 'ragged.csv:3: 3 fields, expected 4' --label-column label --drop-columns id,remark "$d/ragged.csv"
    refuse 3 "rows.csv:2: column 'remark': 'plain' is not a number" --label-column label "$d/rows.csv"
}

@test "weights stand in a column, which is no feature" {
    printf 'y,w,a\n1,2,3\n0,6,5\n' > rows.csv
    train --label-column y --weight-column w
    run -0 rows s
    assert_output $'1 1:3\n0 1:5'
    diff <(dsgd-eval -m model s) <(dsgd-eval -m model rows.csv)
    printf 'y,a\n1,3\n' > first.csv
    printf 'y,a\n0,5\n' > second.csv
    first=$(dsgd-eval -m model first.csv | awk 'NR == 2 { print $3 }')
    second=$(dsgd-eval -m model second.csv | awk 'NR == 2 { print $3 }')
    run -0 awk -v a="$first" -v b="$second" 'NR == 2 { d = $3 - (a + 3 * b) / 4; print (d * d < 1e-12) }' \
        <(dsgd-eval -m model rows.csv)
    assert_output 1
    run -0 dsgd-eval -m model --predict first.csv
    for weight in -1 nan x ''; do
        printf 'y,w,a\n1,2,3\n0,%s,5\n' "$weight" > bad.csv
        refuse 3 "bad.csv:3: weight '$weight': weights are finite numbers from 0 on" --label-column y --weight-column w "$PWD/bad.csv"
    done
}

@test "columns may be separated by other characters and by runs of blanks, and numbers have decimal commas" {
    printf 'y;a;b\n1;0,5;2\n0;-1,5;3e-1\n' > rows.csv
    run -0 read_rows --label-column y --separator ';' --decimal-comma rows.csv
    assert_output $'1 1:0.5 2:2\n0 1:-1.5 2:0.300000012'
    run -0 rows --meta data s
    assert_output '{"format":"csv","header":true,"label_column":"y","columns":["a","b"],"separator":";","decimal_comma":true}'
    train --label-column y --separator ';' --decimal-comma
    diff <(dsgd-eval -m model s) <(dsgd-eval -m model rows.csv)
    refuse 3 "rows.csv:2: column 'a': '0,5' is not a number (--decimal-comma)" --label-column y --separator ';' "$PWD/rows.csv"
    refuse 3 'rows.csv:2: 2 fields, expected 1 (--separator' --label-column y "$PWD/rows.csv"
    printf 'y;a\n1;1.5\n' > point.csv
    refuse 3 "point.csv:2: column 'a': '1.5' is not a number" --label-column y --separator ';' --decimal-comma "$PWD/point.csv"
    printf '  1   2\t3 \n4 5  6\n\n \n' > blanks
    run -0 read_rows --no-header --label-column 3 --separator blanks blanks
    assert_output $'3 1:1 2:2\n6 1:4 2:5'
    tr , '\t' <<< $'1,2\n0,3' > tabs
    run -0 read_rows --no-header --label-column 1 -f csv --separator tab tabs
    assert_output $'1 1:2\n0 1:3'
    refuse 2 '--decimal-comma needs another --separator' --label-column y --decimal-comma "$PWD/rows.csv"
    refuse 2 "--separator 'ab': one of the characters" --label-column y --separator ab "$PWD/rows.csv"
}

@test "labels with decimal commas are numbers" {
    printf 'y;a\n0,5;1\n1,5;2\n' > rows.csv
    run -0 read_rows --label-column y --separator ';' --decimal-comma rows.csv
    assert_output $'0.5 1:1\n1.5 1:2'
}

@test "columns without a name at the end and lines of separators alone are nothing" {
    printf 'a;y;;\n1;2;;\n3;4;;\n;;;\n;;;\n' > rows.csv
    run -0 --separate-stderr dsgd-shard -o s --split sequential --label-column y --separator ';' rows.csv
    assert_equal "${stderr_lines[0]}" 'dsgd-shard: rows.csv:4: nothing but separators; 2 such lines are left out'
    run -0 rows s
    assert_output $'2 1:1\n4 1:3'
    printf 'a;y;;\n1;2;5;\n' > rows.csv
    refuse 3 "rows.csv:2: '5' stands in column 3, which has no name" --label-column y --separator ';' "$PWD/rows.csv"
}

@test "lines in front are skipped when that is said, in every file" {
    printf '|1x3 Cross validator\n1,2\n0,3\n' > a.csv
    printf '# more\n1,4\n' > b.csv
    run -0 read_rows --no-header --label-column 1 --skip-lines 1 a.csv b.csv
    assert_output $'1 1:2\n0 1:3\n1 1:4'
    refuse 3 'a.csv:1: one column: nothing beside the label (--separator, if there are more; --skip-lines' --no-header --label-column 1 "$PWD/a.csv"
    printf '150,2,setosa\na,y\n1,2\n' > counts.csv
    run -0 read_rows --skip-lines 1 --label-column y counts.csv
    assert_output '2 1:1'
}

@test "labels that end in a text are those without it, as the model knows" {
    printf 'y,a\nno.,1\nyes.,2\nno,3\n' > rows.csv
    run -0 read_rows --label-column y --label-suffix . rows.csv
    assert_output $'no 1:1\nyes 1:2\nno 1:3'
    train --label-column y --label-suffix .
    diff <(dsgd-eval -m model s) <(dsgd-eval -m model rows.csv)
    sed 's/no$/no;/; s/^no,/no;,/' rows.csv > semicolon.csv
    run -0 dsgd-eval -m model semicolon.csv
    assert_line -n 0 "dsgd-eval: semicolon.csv:4: label no;: the model never saw it; counted as wrong, without a loss (--label-suffix ';' leaves off its end)"
}

@test "a row without a label is left out, with a word about it, unless missing values are an error" {
    printf 'y,a\n1,2\n,3\n?,4\n0,5\n' > rows.csv
    refuse 3 'rows.csv:3: the label is missing (--missing zero, mean or drop)' --label-column y "$PWD/rows.csv"
    run -0 dsgd-shard -o s --split sequential --label-column y --missing mean rows.csv
    assert_line -n 0 'dsgd-shard: rows.csv:3: the label is missing; 2 such rows are left out'
    run -0 rows s
    assert_output $'1 1:2\n0 1:5'
}

@test "labels of a table in a file of their own: one for each row" {
    printf '1 2\n3 ?\n5 6\n' > rows.txt
    printf '7\n8\n9\n' > labels.txt
    gzip -k labels.txt
    for labels in labels.txt labels.txt.gz; do
        run -0 read_rows --no-header --separator blanks --missing zero rows.txt --labels $labels
        assert_output $'7 1:1 2:2\n8 1:3 2:0\n9 1:5 2:6'
    done
    run -0 read_rows --no-header --separator blanks --missing drop rows.txt --labels labels.txt
    assert_output $'7 1:1 2:2\n9 1:5 2:6'
    printf 'a,b\n1,2\n3,4\n' > rows.csv
    printf 'y\n1\n0\n' > y.csv
    run -0 read_rows rows.csv --labels y.csv
    assert_output $'1 1:1 2:2\n0 1:3 2:4'
    sed -i '$d' y.csv
    refuse 3 'y.csv has 1 labels, fewer than there are rows' "$PWD/rows.csv" --labels "$PWD/y.csv"
    printf 'y\n1\n0\n1\n1\n' > y.csv
    refuse 3 'rows.csv has 2 rows, ' "$PWD/rows.csv" --labels "$PWD/y.csv"
    printf 'y\n1,2\n' > y.csv
    refuse 3 'y.csv:2: 2 fields, a label is one' "$PWD/rows.csv" --labels "$PWD/y.csv"
    refuse 2 'labels are in one of them' "$PWD/rows.csv" --labels "$PWD/y.csv" --label-column a
}

@test "the same rows are the same tensors, whatever they were read from" {
    printf 'y,a,b\n1,0.5,2\n0,-1.25,3\n1,7,1e-3\n' > rows.csv
    tr , '\t' < rows.csv > rows.tsv
    tr ,. ';,' < rows.csv > rows.semicolon
    tr , ' ' < rows.csv > rows.blanks
    printf '1 0.5 2\n0 -1.25 3\n1 7 1e-3\n' > bare.blanks
    "$python" - <<'P'
import struct
header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }\n"
with open("rows.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    f.write(struct.pack("<9d", 1, 0.5, 2, 0, -1.25, 3, 1, 7, 1e-3))
P
    gzip -k rows.csv
    dsgd-shard -q -o 0 --label-column y rows.csv
    dsgd-shard -q -o 1 --label-column y rows.tsv
    dsgd-shard -q -o 2 --label-column y --separator ';' --decimal-comma rows.semicolon
    dsgd-shard -q -o 3 --label-column y --separator blanks rows.blanks
    dsgd-shard -q -o 4 --no-header --label-column 1 --separator blanks bare.blanks
    dsgd-shard -q -o 5 --label-column 1 rows.npy
    dsgd-shard -q -o 6 --label-column y rows.csv.gz
    dsgd-shard -q -o 7 --label-column y - < rows.csv
    dsgd-shard -q -o 8 --label-column y -f csv rows.csv
    dsgd-shard --info 0 1 2 3 4 5 6 7 8 | cut -f 7 | sort -u > sums
    run -0 wc -l < sums
    assert_output --regexp '^ *2$'
    cmp 0 8
}

@test "one column has one part to play" {
    printf 'a,b,l\n1,2,1\n2,3,0\n' > t.csv
    refuse 2 '--weight-column and --label-column name one column, number 3' --label-column l --weight-column 3 "$PWD/t.csv"
    refuse 2 '--drop-columns and --label-column name one column, number 3' --label-column 3 --drop-columns b,l "$PWD/t.csv"
    refuse 2 '--drop-columns and --weight-column name one column, number 2' --label-column 3 --weight-column b --drop-columns 2 "$PWD/t.csv"
}

@test "rows of plain numbers are the rows that they are with quotes, which are read cell by cell" {
    awk 'BEGIN {
        srand(1)
        split("0 5 -3 +7 255 0.5 -0.125 1e-3 2.5E+2 1234567 12345678 16777217 0.1234567891 .5 5. 007 -0", number, " ")
        for (i = 0; i < 400; i++) {
            for (j = 0; j < 6; j++)
                printf "%s%s,", number[int(rand() * 17) + 1], j == 2 && i % 7 == 0 ? " " : ""
            print (i % 3 ? "b" : "a") (i % 5 == 4 ? "\r" : "")
        }
    }' > plain.csv
    sed 's/ //g; s/[-+.0-9abeE]\{1,\}/"&"/g' plain.csv > quoted.csv
    for file in plain quoted; do
        dsgd-shard -q -o $file --split sequential --no-header --label-column 7 - < $file.csv
    done
    cmp plain quoted
    assert_equal "$(dsgd-shard --info plain | awk -F '\t' 'NR == 2 { print $2, $3 }')" '400 6'
}

@test "what is wrong in a row of plain numbers is told of with its line, and its column" {
    printf 'a,b,y\n1,2,x\n3,4,y\n5,,x\n' > empty.csv
    refuse 3 "../empty.csv:4: column 'b': the value is missing" --label-column y ../empty.csv
    printf 'a,b,y\n1,2,x\n3,4,y\n5,6x,x\n' > word.csv
    refuse 3 "../word.csv:4: column 'b': '6x' is not a number" --label-column y ../word.csv
    printf 'a,b,y\n1,2,x\n3,4,y\n5,6\n' > short.csv
    refuse 3 '../short.csv:4: 2 fields, expected 3' --label-column y ../short.csv
    printf 'a,b,y\n1,2,x\n3,4,y\n5,6,x,7\n' > long.csv
    refuse 3 '../long.csv:4: 4 fields, expected 3' --label-column y ../long.csv
    printf 'a,b,y\n1,2,x\n3,4,y\n5,1e99,x\n' > large.csv
    refuse 3 "../large.csv:4: column 'b': '1e99' is not a finite float" --label-column y ../large.csv
    printf 'a,b,y\n1,2,x\n3,4,y\n5,6,\n' > unlabelled.csv
    refuse 3 '../unlabelled.csv:4: the label is missing' --label-column y ../unlabelled.csv
}
