#!/usr/bin/env bats
# CSV and TSV as people have them: which columns are read and as what, what separates them, what rows are wrong.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# A model of all columns of rows.csv, by the options given.
train() {
    dsgd-shard -q -o s --split sequential "$@" rows.csv
    dsgd-sim -q -m logistic -d const:1s -J 9 -o model s
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
