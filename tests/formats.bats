#!/usr/bin/env bats
# Formats of data: what is a row, what is refused and where.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Runs a command that may have 1 GB; with sanitizers, which reserve much more, without a limit.
little_memory() {
    if (ulimit -v 1000000 && dsgd-shard --version) > /dev/null 2>&1; then
        ulimit -v 1000000
    fi
    "$@"
}

# A small input of a format, and the options that read it.
sample() {
    case $1 in
    libsvm) printf '1 1:2 2:3\n0 2:4\n' > sample ;;
    csv) printf '1,2,3\n0,0,4\n' > sample && options=(--no-header --label-column 1) ;;
    tsv) printf '1\t2\t3\n0\t0\t4\n' > sample && options=(--no-header --label-column 1) ;;
    cifar10) { record '\1' && record '\0'; } > sample ;;
    cifar100) { record '\7\1' && record '\7\0'; } > sample ;;
    npy)
        npy '<f4' '(2, 1)' '\0\0\x80\x3f\0\0\0\x40' > sample
        npy '|b1' '(2,)' '\1\0' > labels
        options=(--labels labels)
        ;;
    npz)
        npy '|u1' '(2, 1)' '\3\4' > x.npy
        npy '<i2' '(2,)' '\1\0\0\0' > y.npy
        "$python" -m zipfile -c sample x.npy y.npy
        ;;
    idx)
        printf '\0\0\x08\x03\0\0\0\2\0\0\0\1\0\0\0\2\2\3\0\4' > sample
        printf '\0\0\x08\x01\0\0\0\2\1\0' > labels
        options=(--labels labels)
        ;;
    safetensors) printf '1 1:2 2:3\n0 2:4\n' | dsgd-shard -q -o sample --split sequential - ;;
    *) fail "a new format: give its sample here" ;;
    esac
}

@test "every format is known by its first bytes, read from a pipe, and packed" {
    for format in $(dsgd-shard -f help | awk '!/^ / && $1 != "auto" { print $1 }'); do
        options=()
        sample "$format"
        dsgd-shard -q -o named -f "$format" --split sequential "${options[@]}" sample
        dsgd-shard -q -o known --split sequential "${options[@]}" sample
        dsgd-shard -q -o piped --split sequential "${options[@]}" - < <(cat sample)
        gzip -f sample
        dsgd-shard -q -o packed --split sequential "${options[@]}" sample.gz
        run -0 rows named known piped packed
        [[ ${lines[0]} == '1 '* && ${lines[1]} == '0 '* ]] || fail "$output"
        two=$'\n'${lines[0]}$'\n'${lines[1]}
        assert_equal $'\n'"$output" "$two$two$two$two"
    done
}

@test "no format reads what is empty, cut within the first row, or not its own" {
    head -c 100 /dev/zero | tr '\0' '\377' > noise
    : > nothing
    for format in $(dsgd-shard -f help | awk '!/^ / && $1 != "auto" { print $1 }'); do
        options=()
        sample "$format"
        options=("${options[@]/#labels/$PWD/labels}")
        refuse 3 "nothing: no rows" -f "$format" "${options[@]}" "$PWD/nothing"
        refuse 3 "noise" -f "$format" "${options[@]}" "$PWD/noise"
    done
    refuse 3 "noise: no known format (it begins with bytes ff ff)" "$PWD/noise"
    refuse 2 "unknown" -f nix "$PWD/noise"
}

# libsvm

@test "line ends from Windows, trailing blanks and blank lines change no row" {
    d=$(data 01-crlf-trailing-blanks)
    for name in crlf plain; do
        dsgd-shard -q -n 2 -o "$name%d" "$d/$name.svm"
        dsgd-shard --info ${name}0 ${name}1 | sed "s/^$name//; s/\t[0-9]*\t\([0-9a-f]*\)$/\t\1/" > $name
    done
    cmp crlf plain
    run -0 read_rows "$d/crlf.svm"
    assert_output "$(cat "$d/plain.svm")"
}

@test "a byte order mark at the start of a text is no part of it, one within is refused" {
    d=$(data 02-bom-first-field)
    run -0 read_rows "$d/rows.svm"
    assert_output $'+1 1:2\n-1 1:3'
    run -0 read_rows --label-column label "$d/rows.csv"
    assert_output $'1 1:0.5 2:2\n0 1:1.5 2:3\n1 1:2.5 2:4'
    refuse 3 'joined.svm:3: a byte order mark (ef bb bf)' "$d/joined.svm"
}

@test "query numbers are left out with one notice, and must be whole numbers behind the label" {
    run -0 --separate-stderr dsgd-shard -o s --split sequential "$(data 03-remarks-and-qid/rows.svm)" \
        "$(data 03-remarks-and-qid/rows.svm)"
    assert_equal "${#stderr_lines[@]}" 3
    [[ ${stderr_lines[1]} == *"rows.svm:2: query numbers (qid:7) are left out: "* ]] || fail "$stderr"
    [[ ${stderr_lines[2]} == *': 8 rows, 3 features, 2 classes, 10 stored values' ]] || fail "$stderr"
    run -0 read_rows "$(data 03-remarks-and-qid/rows.svm)"
    assert_output $'+1 1:0.5 2:1\n-1 2:3\n+1 1:2\n-1 3:1'
    run -0 read_rows - <<< $'1 qid:3#none\r\n0\tqid:18446744073709551616\t1:1 # qid:x 9:9'
    assert_output $'1\n0 1:1'
    while read -r text row; do
        printf '1 1:1\n%s\n' "$row" > bad.svm
        refuse 3 "bad.svm:2: '$text': " -q -f libsvm "$PWD/bad.svm"
    done <<'X'
qid:x 1 qid:x 1:1
qid: 1 qid: 1:1
qid:-1 1 qid:-1 1:1
qid:1.5 1 qid:1.5 1:1
qid:2 1 qid:1 qid:2 1:1
qid:1 1 1:1 qid:1
X
}

@test "remarks are no data, wherever they stand and however long they are" {
    run -0 read_rows "$(data 03-remarks-and-qid/rows.svm)"
    assert_output $'+1 1:0.5 2:1\n-1 2:3\n+1 1:2\n-1 3:1'
    printf '\t # first, and so on\r\n#\n1#a\n2 1:1#b\n3 1:1 2:2# c # d\n  # e\n4\t#\n# last' > rows.svm
    run -0 read_rows rows.svm
    assert_output $'1\n2 1:1\n3 1:1 2:2\n4'
}

@test "a row longer than any block is one row" {
    { printf '1' && seq -f ' %.0f:0.5' 1 200000 | tr -d '\n' && printf '\n0 2:1\n'; } > long.svm
    dsgd-shard -q -o s --split sequential long.svm
    run -0 dsgd-shard --info s
    assert_line -n 1 --regexp $'^s\t2\t200000\t200001\t2\t'
}

@test "indices start at 1, or at 0 when that is said" {
    d=$(data 04-index-base)
    refuse 3 'train.svm:1: feature index 0: indices start at 1' "$d/train.svm"
    run -0 read_rows --zero-based "$d/train.svm"
    assert_line -n 0 '+1 1:-1 2:2'
    run -0 rows --meta data s
    assert_output '{"format":"libsvm","base":0}'
}

@test "unsorted indices are sorted; doubled, negative and huge ones are refused at their line" {
    d=$(data 05-index-order-and-size)
    dsgd-shard -q -o sorted "$d/sorted.svm"
    dsgd-shard -q -o unsorted "$d/unsorted.svm"
    assert_equal "$(rows unsorted)" "$(rows sorted)"
    refuse 3 'doubled.svm:2: feature index 2 stands twice' "$d/doubled.svm"
    refuse 3 'negative.svm:2: feature index -3: indices start at 1' "$d/negative.svm"
    refuse 3 'wide.svm:2: feature index 4294967297 is out of range' "$d/wide.svm"
    refuse 3 'huge.svm:2: feature index 18446744073709551617 is out of range' "$d/huge.svm"
    echo '1 2147483647:1' | little_memory dsgd-shard -q -o edge -
    echo '1 2147483648:1' > beyond.svm
    refuse 3 'beyond.svm:1: feature index 2147483648 is out of range: indices go from 1 to 2147483647' "$PWD/beyond.svm"
}

@test "what is no libsvm row is refused with its line and text" {
    while IFS='|' read -r row text; do
        printf '1 1:1\n%s\n' "$row" > bad.svm
        refuse 3 "bad.svm:2: $text" -f libsvm "$PWD/bad.svm"
    done <<'X'
1 1:|value '' is not a number
1 1:x|value 'x' is not a number
1 1:1x 2:1|value '1x' is not a number
1 1:nan|value 'nan': it is missing (--missing zero, mean or drop)
1 1:1e999|value '1e999' is not a finite float
1 1|'1' is not INDEX:VALUE
1 a:1|'a:1' is not INDEX:VALUE
1 :1|':1' is not INDEX:VALUE
1 1:2:3|value '2:3' is not a number
1:1 2:1|'1:1' stands where the label should be
nan 1:1|label 'nan' is not finite
1,2 1:1|label '1,2' is neither a number nor a word
X
}

@test "a first line with decimal commas is answered as libsvm" {
    printf '0,5 1:0,5 2:3\n1 1:1\n' > comma.svm
    refuse 3 "comma.svm:1: label '0,5' is neither a number nor a word" "$PWD/comma.svm"
    printf '# made by hand\n+1,0\t1:1\n1 1:1\n' > comma.svm
    refuse 3 "comma.svm:2: label '+1,0' is neither" "$PWD/comma.svm"
    run -0 read_rows --no-header --label-column 2 - <<< $'1,5\n2,6'
    assert_output $'5 1:1\n6 1:2'
    refuse 3 "column '2': '12:30' is not a number" --no-header --label-column 1 - <<< $'1, 12:30\n'
}

@test "rows without a feature, and a last line without its newline, are rows" {
    printf '1\n0 1:1\n1' > rows.svm
    run -0 read_rows rows.svm
    assert_output $'1\n0 1:1\n1'
}

# Labels

@test "labels of equal value are one class, spelled as first seen" {
    run -0 read_rows "$(data 12-label-sets/float.svm)"
    assert_equal "$(cut -d ' ' -f 1 <<< "$output")" $'1.0\n-1.0\n1.0\n-1.0'
}

@test "labels that are not all numbers are names, in the order of their bytes" {
    printf 'spam 1:1\nham 1:2\n1 1:3\n1.0 1:4\nham 1:5\n' > rows.svm
    run -0 read_rows rows.svm
    assert_equal "$(cut -d ' ' -f 1 <<< "$output")" $'spam\nham\n1\n1.0\nham'
    run -0 rows --meta classes s
    assert_output '[["1",null,"rows.svm:3",2],["1.0",null,"rows.svm:4",3],["ham",null,"rows.svm:2",1],["spam",null,"rows.svm:1",0]]'
}

@test "more different numbers than classes can be are targets, and each is kept" {
    seq -f '%.0f.5 1:1' 1 70000 > rows.svm
    run -0 --separate-stderr dsgd-shard -o s --split sequential rows.svm
    assert_equal "$stderr" 'dsgd-shard: 70000 rows, 1 feature, labels are targets, 70000 stored values'
    rows s | sed 's/ .*//' > labels
    run -0 sed -n '1p;65537p;70000p' labels
    assert_output $'1.5\n65537.5\n70000.5'
}

@test "labels that cannot be printed are refused" {
    printf 'a\001b 1:1\n' > control.svm
    refuse 3 'control.svm:1: label with byte 01' -f libsvm "$PWD/control.svm"
    printf 'a\377b 1:1\n' > latin.svm
    refuse 3 'latin.svm:1: the label is not UTF-8' -f libsvm "$PWD/latin.svm"
}

# CSV

@test "quoted fields hold commas, quotes and line ends" {
    printf 'a,"the ""label""",b\r\n1,"one, two",2\r\n"3", "say ""hi""" ,4\r\n\r\n5,plain , 6' > rows.csv
    run -0 read_rows --label-column 'the "label"' rows.csv
    assert_output $'one, two 1:1 2:2\nsay "hi" 1:3 2:4\nplain 1:5 2:6'
    printf 'a,b\n"1\n",x\n"2",y\n' > broken.csv
    refuse 3 "broken.csv:2: column 'a': '1?' is not a number" --label-column b "$PWD/broken.csv"
}

@test "a line end within quotes moves the line numbers on" {
    printf 'a,b\n1,x\n2,"y\ny"\n' > rows.csv
    refuse 3 'rows.csv:3: label with byte 0a' --label-column b "$PWD/rows.csv"
    printf '"a\na",b\n1,x\nz,y\n' > rows.csv
    refuse 3 "rows.csv:4: column 'a?a': 'z' is not a number" --label-column b "$PWD/rows.csv"
}

@test "a text among the features is refused with column, text and line" {
    refuse 3 "rows.csv:2: column 'remark': 'plain' is not a number" --label-column label "$(data 06-csv-quotes/rows.csv)"
}

@test "a quote that is never closed is refused where it was opened" {
    d=$(data 06-csv-quotes)
    sed 's/"plain"/1/' "$d/unclosed.csv" > unclosed.csv
    refuse 3 'unclosed.csv:3: ' --label-column label "$PWD/unclosed.csv"
    printf 'a,b\n1,2\n3,"4\n5,6\n' > open.csv
    refuse 3 'open.csv:3: this quote is never closed' --label-column b "$PWD/open.csv"
}

@test "a record with too many or too few fields is refused at its line" {
    sed 's/,[ac],/,1,/' "$(data 06-csv-quotes/ragged.csv)" > ragged.csv
    refuse 3 'ragged.csv:3: 3 fields, expected 4' --label-column label "$PWD/ragged.csv"
    printf 'a,b\n1,2\n3,4,\n' > more.csv
    refuse 3 'more.csv:3: 3 fields, expected 2' --label-column b "$PWD/more.csv"
}

@test "a missing value and a number that is none are refused" {
    printf 'a,b\n1,2\n,4\n' > missing.csv
    refuse 3 "missing.csv:3: column 'a': the value is missing" --label-column b "$PWD/missing.csv"
    printf 'a,b\n1,2\ninf,4\n' > inf.csv
    refuse 3 "inf.csv:3: column 'a': 'inf' is not a finite float" --label-column b "$PWD/inf.csv"
    printf '1,2\n3,\n' > label.csv
    refuse 3 'label.csv:2: the label is missing' --no-header --label-column 2 "$PWD/label.csv"
}

@test "the label's column is found by name, then by number, and is needed" {
    printf 'x,2,y\n1,5,9\n3,6,8\n' > rows.csv
    run -0 read_rows --label-column 2 rows.csv
    assert_output $'5 1:1 2:9\n6 1:3 2:8'
    run -0 read_rows --label-column 3 rows.csv
    assert_output $'9 1:1 2:5\n8 1:3 2:6'
    run -0 rows --meta data s
    assert_output '{"format":"csv","header":true,"label_column":"y","columns":["x","2"]}'
    run -0 read_rows --no-header --label-column 1 -f csv - <<< $'7,8\n9,10'
    assert_output $'7 1:8\n9 1:10'
    refuse 3 "rows.csv:1: no column 'nix' among the 3: x, 2, y" --label-column nix "$PWD/rows.csv"
    refuse 3 'rows.csv:1: no column 4: they count from 1 to 3' --label-column 4 "$PWD/rows.csv"
    refuse 2 'rows.csv: CSV needs --label-column' "$PWD/rows.csv"
}

@test "decimal commas are refused in every locale, points are read in every locale" {
    d=$(data 22-decimal-comma)
    for locale in C "$(comma_locale)"; do
        [ -n "$locale" ] || skip "no locale with a decimal comma"
        export LC_ALL=$locale
        refuse 3 "comma.svm:2: value '0,5' is not a number" "$d/comma.svm"
        refuse 3 'comma.csv:2: 2 fields, expected 1' --label-column label "$d/comma.csv"
        dsgd-shard -q -o "svm-$locale" "$d/rows.svm"
        dsgd-shard -q -o "csv-$locale" --label-column label "$d/rows.csv"
    done
    unset LC_ALL
    cmp svm-C "svm-$locale"
    cmp csv-C "csv-$locale"
}

# IDX

@test "an IDX header that promises gigabytes takes no memory for what is not there" {
    printf '\0\0\10\3\0\0\0\1\0\0\217\0\0\0\320\0' >"$BATS_TEST_TMPDIR/big"
    printf '\0\0\10\1\0\0\0\1x' >"$BATS_TEST_TMPDIR/labels"
    run timeout 5 dsgd-shard -o "$BATS_TEST_TMPDIR/s" --labels "$BATS_TEST_TMPDIR/labels" \
        "$BATS_TEST_TMPDIR/big"
    assert_failure 3
    assert_output --partial "the header promises 1949302784 bytes, 0 found"
}

@test "dense rows that --features makes wider than the memory are refused with the figures" {
    awk 'BEGIN { for (i = 0; i < 2000; i++) print i ",1" }' >"$BATS_TEST_TMPDIR/rows.csv"
    run timeout 5 dsgd-shard --no-header --label-column 2 --features 2147483647 \
        -o "$BATS_TEST_TMPDIR/s" "$BATS_TEST_TMPDIR/rows.csv"
    assert_failure 4
    assert_output --partial "2000 dense rows of 2147483647 features need 17179.9 GB; the disk of "
}

@test "IDX images and labels become rows of bytes, plain or packed" {
    d=$(data 09-idx-counts)
    for name in images still-packed; do
        run -0 read_rows "$d/$name.idx" --labels "$d/labels.idx"
        assert_line -n 0 '7 1:0 2:1 3:2 4:3'
        assert_line -n 3 '7 1:255 2:0 3:255 4:0'
        assert_equal "$(cut -d ' ' -f 1 <<< "$output")" $'7\n0\n9\n7'
    done
    run -0 rows --meta scale s
    assert_output 0.0039215686274509803
}

@test "IDX files whose counts do not agree are refused with the counts" {
    d=$(data 09-idx-counts)
    refuse 3 "images.idx has 4 rows, $d/labels-3.idx has 3 labels" "$d/images.idx" --labels "$d/labels-3.idx"
    refuse 3 'short.idx: the header promises 16 bytes, 12 found' "$d/short.idx" --labels "$d/labels.idx"
    refuse 3 'long.idx: 4 bytes too many' "$d/long.idx" --labels "$d/labels.idx"
    refuse 2 'images.idx: idx needs --labels FILE' "$d/images.idx"
    refuse 3 'images.idx: 4 numbers a row, a label is one' "$d/images.idx" --labels "$d/images.idx"
    refuse 2 'rows.svm: --labels goes with IDX, npy, npz, safetensors, CSV and TSV, this is libsvm' "$(data 15-shards-lose-nothing/rows.svm)" --labels "$d/labels.idx"
}

@test "a header that promises more than memory holds asks for no memory" {
    printf '\0\0\x08\x03\xff\xff\xff\xff\0\0\0\x1c\0\0\0\x1c' > huge.idx
    ulimit -v 1000000
    dsgd-shard --version > /dev/null 2>&1 || skip "the program needs more by itself"
    refuse 3 'huge.idx: the header promises 3367254359280 bytes, 0 found' "$PWD/huge.idx" --labels "$(data 09-idx-counts/labels.idx)"
}

@test "IDX numbers of every kind are read as they are" {
    printf '\0\0\x08\x01\0\0\0\1\1' > labels
    while read -r kind bytes value; do
        printf "\0\0\x$kind\x02\0\0\0\1\0\0\0\1$bytes" > one.idx
        run -0 read_rows one.idx --labels labels
        assert_output "1 1:$value"
    done <<'X'
08 \xfe 254
09 \xfe -2
0b \xff\xfe -2
0c \xff\xff\xff\xfe -2
0d \xbf\xc0\0\0 -1.5
0e \xbf\xf8\0\0\0\0\0\0 -1.5
X
}

# Files, archives, pipes

@test "an option of another format is refused" {
    printf '1 1:0.5\n' > in.svm
    printf 'y,a\n1,2\n' > rows.csv
    dsgd-shard -q -o shard in.svm
    while read -r input status text option; do
        refuse "$status" "$input: $text" "$PWD/$input" $option
    done <<'X'
in.svm 2 --label-column --label-column 1
in.svm 2 --decimal-comma --decimal-comma
in.svm 2 --no-header --no-header
in.svm 2 --skip-lines --skip-lines 1
in.svm 2 --label-suffix --label-suffix .
in.svm 2 --separator -f libsvm --separator ;
rows.csv 2 --zero-based --zero-based --label-column y
rows.csv 2 --separator -f tsv --separator ; --label-column y
shard 2 a --label-column 1
shard 2 --no-header --no-header
shard 2 --zero-based --zero-based
X
}

@test "a whole number that is too large for a label of its own is refused" {
    refuse 3 "<stdin>:2: label '9007199254740993': a whole number beyond 2^53" - <<< $'9007199254740992 1:1\n9007199254740993 1:2'
    refuse 3 "<stdin>:1: label '-9007199254740993.0': a whole" - <<< '-9007199254740993.0 1:1'
    refuse 3 "<stdin>:2: label '9007199254740993': a whole" --label-column y - <<< $'y,a\n9007199254740993,1'
    run -0 read_rows - <<< $'9007199254740994 1:1\n-0018446744073709551616 1:1\n1e300 1:2\n12345678901234567890.5 1:2'
}
