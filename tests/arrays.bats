# Arrays of numbers as data: NumPy's files, IDX, CIFAR.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

checksum() {
    dsgd-shard --info s | awk 'NR == 2 { print $NF }'
}

@test "an array by rows, by columns, of other numbers and in an npz are the same rows" {
    d=$(data 10-npy-column-order)
    for name in c f d; do
        run -0 read_rows "$d/$name.npy" --labels "$d/y.npy"
        assert_output $'0 1:1 2:2\n1 1:3 2:4\n0 1:5 2:6'
        sums="${sums-}$(checksum) "
    done
    for options in '' '-f npz' '-f npz:x=X,labels=y' '-f npz:labels=y' "--labels $d/y.npy"; do
        run -0 read_rows $options "$d/pair.npz"
        assert_output $'0 1:1 2:2\n1 1:3 2:4\n0 1:5 2:6'
        sums="$sums$(checksum) "
    done
    run -0 read_rows - < "$d/pair.npz"
    assert_output $'0 1:1 2:2\n1 1:3 2:4\n0 1:5 2:6'
    assert_equal "$(tr ' ' '\n' <<< "$sums" | sort -u | sed 1d | wc -l)" 1
}

@test "an array of three dimensions by columns has the rows that NumPy prints" {
    # a[i][j][k] = 4 i + 2 j + k, i fastest
    npy '|u1' '(3, 2, 2)' '\0\4\10\2\6\12\1\5\11\3\7\13' True > x.npy
    npy '|u1' '(3,)' '\0\1\0' > y.npy
    run -0 read_rows x.npy --labels y.npy
    assert_output $'0 1:0 2:1 3:2 4:3\n1 1:4 2:5 3:6 4:7\n0 1:8 2:9 3:10 4:11'
}

@test "numbers of every kind and byte order are read as they are" {
    npy '|u1' '(1,)' '\1' > y.npy
    while read -r kind bytes value; do
        npy "$kind" '(1, 1)' "$bytes" > one.npy
        run -0 read_rows one.npy --labels y.npy
        assert_output "1 1:$value"
    done <<'X'
|b1 \1 1
|u1 \xfe 254
|i1 \xfe -2
<u2 \xfe\xff 65534
>u2 \xff\xfe 65534
<i2 \xfe\xff -2
>i2 \xff\xfe -2
<u4 \0\0\1\0 65536
>u4 \0\1\0\0 65536
<i4 \xfe\xff\xff\xff -2
>i4 \xff\xff\xff\xfe -2
<u8 \0\0\0\0\1\0\0\0 4.2949673e+09
>u8 \0\0\0\1\0\0\0\0 4.2949673e+09
<i8 \xfe\xff\xff\xff\xff\xff\xff\xff -2
>i8 \xff\xff\xff\xff\xff\xff\xff\xfe -2
<f2 \0\xbe -1.5
>f2 \xbe\0 -1.5
<f2 \1\0 5.96046448e-08
<f2 \xff\x7b 65504
<f4 \0\0\xc0\xbf -1.5
>f4 \xbf\xc0\0\0 -1.5
<f8 \0\0\0\0\0\0\xf8\xbf -1.5
>f8 \xbf\xf8\0\0\0\0\0\0 -1.5
X
}

@test "labels can be a column of the array itself" {
    npy '|u1' '(2, 3)' '\1\7\2\3\10\4' > x.npy
    run -0 read_rows x.npy --label-column 2
    assert_output $'7 1:1 2:2\n8 1:3 2:4'
    run -0 rows --meta data s
    assert_output '{"format":"npy","label_column":2}'
    refuse 3 'x.npy: no column 4: they count from 1 to 3' "$PWD/x.npy" --label-column 4
    refuse 2 "x.npy: --label-column 'a'" "$PWD/x.npy" --label-column a
    refuse 2 'x.npy: npy needs --labels FILE, or --label-column NUMBER' "$PWD/x.npy"
}

@test "whole numbers as labels that no double holds are refused" {
    npy '|u1' '(2, 1)' '\1\2' > x.npy
    while read -r descr bytes; do
        npy "$descr" '(2,)' "\\0\\0\\0\\0\\0\\0\\0\\0$bytes" > y.npy
        refuse 3 'y.npy: row 2: the label, about ' "$PWD/x.npy" --labels "$PWD/y.npy"
    done <<'X'
<i8 \1\0\0\0\0\0\x20\0
>u8 \0\x20\0\0\0\0\0\1
<u8 \xff\xff\xff\xff\xff\xff\xff\xff
<i8 \xff\xff\xff\xff\xff\xff\xff\x7f
X
    npy '<i8' '(2,)' '\0\0\0\0\0\0\0\x80\2\0\0\0\0\0\x20\0' > y.npy
    run -0 read_rows x.npy --labels y.npy
}

@test "what is no array of rows of numbers is refused by name" {
    d=$(data 10-npy-column-order)
    refuse 3 'object.npy: numbers of kind "|O"' "$d/object.npy" --labels "$d/y.npy"
    refuse 3 'one-dim.npy: one dimension; rows need two or more' "$d/one-dim.npy" --labels "$d/y.npy"
    refuse 3 "c.npy has 3 rows, $d/y-2.npy has 2 labels" "$d/c.npy" --labels "$d/y-2.npy"
    refuse 3 'c.npy: 2 numbers a row, a label is one' "$d/c.npy" --labels "$d/c.npy"
    refuse 3 "no array 'Z' for the rows; it has X, y" -f npz:x=Z "$d/pair.npz"
    refuse 3 "no array 'z' for the labels; it has X, y" -f npz:labels=z "$d/pair.npz"
    refuse 3 'c.npy: no zip archive of arrays' -f npz "$d/c.npy"
    npy '<f4' '(1, 1)' '\0\0\xc0\x7f' > nan.npy
    npy '|u1' '(1,)' '\1' > y.npy
    refuse 3 'nan.npy: row 1: number 1 is missing (--missing zero, mean or drop)' "$PWD/nan.npy" --labels "$PWD/y.npy"
    npy '<f4' '(99999999999, 99999999)' '' > huge.npy
    refuse 3 'huge.npy: more numbers than ' "$PWD/huge.npy" --labels "$PWD/y.npy"
    npy '<f4' '(99999999999, 9)' '' > huge.npy
    refuse 3 'huge.npy: the header promises ' "$PWD/huge.npy" --labels "$PWD/y.npy"
}

@test "a header that cannot be read is refused" {
    npy '|u1' '(1,)' '\1' > y.npy
    for header in '' "{'descr': '<f4', 'shape': (1, 1)}" "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 1)}" \
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)" "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 1)}" \
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}" \
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"; do
        { printf '\x93NUMPY\1\0'"\\x$(printf %02x ${#header})"'\0%s' "$header" && printf '\0\0\0\0'; } > x.npy
        refuse 3 'x.npy: the ' "$PWD/x.npy" --labels "$PWD/y.npy"
    done
    { printf '\x93NUMPY\4\0\0\0\0\0'; } > x.npy
    refuse 3 'x.npy: version 4 of npy' "$PWD/x.npy" --labels "$PWD/y.npy"
}

@test "an array cut at any byte is refused, the whole one is not" {
    npy '<i2' '(2, 2)' '\1\0\2\0\3\0\4\0' > x.npy
    npy '|u1' '(2,)' '\1\0' > y.npy
    size=$(wc -c < x.npy)
    for ((n = 1; n < size; n += n < 60 || n > size - 9 ? 1 : 7)); do
        head -c "$n" x.npy > cut
        refuse 3 'cut: ' -f npy "$PWD/cut" --labels "$PWD/y.npy"
    done
    { cat x.npy && printf '\0'; } > long
    refuse 3 'long: 1 bytes too many' "$PWD/long" --labels "$PWD/y.npy"
    run -0 read_rows x.npy --labels y.npy
    assert_output $'1 1:1 2:2\n0 1:3 2:4'
}

@test "NumPy reads and writes the same numbers, in files of every version" {
    "$python" -c 'import numpy' 2> /dev/null || skip 'no numpy'
    "$python" - <<'X'
import numpy as np
from numpy.lib import format
a = (np.arange(24, dtype=">f8").reshape(4, 3, 2) - 3) / 4
for version in (1, 0), (2, 0), (3, 0):
    with open("x%d.npy" % version[0], "wb") as f:
        format.write_array(f, np.asfortranarray(a) if version[0] == 2 else a, version=version)
np.savez_compressed("pair.npz", x=a.astype("f2"), labels=np.arange(4) % 2)
with open("expected", "w") as f:
    for i, row in enumerate(a.reshape(4, 6)):
        print(i % 2, *("%d:%.9g" % (j + 1, v) for j, v in enumerate(row)), file=f)
X
    npy '|u1' '(4,)' '\0\1\0\1' > y.npy
    for v in 1 2 3; do
        run -0 read_rows "x$v.npy" --labels y.npy
        assert_output "$(cat expected)"
    done
    run -0 read_rows pair.npz
    assert_output "$(cat expected)"
}

@test "a model of arrays is scored on arrays with no further option, and two npz are one data set" {
    npy '<f4' '(2, 1)' '\0\0\x80\x3f\0\0\x80\xbf' > x.npy
    npy '|u1' '(2,)' '\1\0' > y.npy
    "$python" -m zipfile -c pair.npz x.npy y.npy
    "$python" -m zipfile -c again.npz y.npy x.npy
    run -0 read_rows pair.npz again.npz
    assert_output $'1 1:1\n0 1:-1\n1 1:1\n0 1:-1'
    dsgd-sim -q -m logistic -P 1 -d const:1s -b 4 -J 9 -o model s
    run -0 dsgd-eval -m model again.npz
    assert_equal "$(cut -f 4 <<< "${lines[1]}")" 0
}

@test "CIFAR: a label or two before three planes of pixels, each file whole records" {
    { record '\3' && record '\0'; } > ten
    run -0 read_rows ten
    assert_equal "$(cut -d ' ' -f 1,2,3073 <<< "$output")" $'3 1:0 3072:255\n0 1:0 3072:255'
    run -0 rows --meta scale s
    assert_output 0.0039215686274509803
    { record '\3\x63' && record '\0\0'; } > hundred
    run -0 read_rows hundred
    assert_equal "$(cut -d ' ' -f 1,3073 <<< "$output")" $'99 3072:255\n0 3072:255'
    run -0 read_rows -f cifar100:coarse hundred
    assert_equal "$(cut -d ' ' -f 1,3073 <<< "$output")" $'3 3072:255\n0 3072:255'
    head -c 4000 ten > cut
    refuse 3 'cut: ends within record 2: a record of cifar10 has 3073 bytes' "$PWD/cut"
    record '\13' > eleven
    refuse 3 'eleven: record 1: label 11: cifar10 has 0 to 9' -f cifar10 "$PWD/eleven"
    refuse 2 "neither fine nor coarse" -f cifar100:medium "$PWD/hundred"
}

@test "TSV is CSV with tabs" {
    printf 'a b\ty\t"c"\n1\tcat\t"2"\n3\tdog\t4\n' > rows.tsv
    run -0 read_rows --label-column y rows.tsv
    assert_output $'cat 1:1 2:2\ndog 1:3 2:4'
    run -0 rows --meta data s
    assert_output '{"format":"tsv","header":true,"label_column":"y","columns":["a b","c"]}'
    refuse 2 'rows.tsv: TSV needs --label-column' "$PWD/rows.tsv"
    refuse 3 "rows.tsv:3: column 'c': the value is missing" --label-column y "$PWD/rows.tsv" < \
        <(printf 'y\tc\n1\t2\n1\t\n' > "$PWD/rows.tsv")
}
