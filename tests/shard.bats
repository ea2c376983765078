#!/usr/bin/env bats
# dsgd-shard: no row lost or doubled, the same bytes for the same seed, all shards or none.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
    ten=$(data 15-shards-lose-nothing/rows.svm)
}

teardown() {
    leave_nothing
}

@test "shards in file order, one after the other, are the file again" {
    dsgd-shard -q -n 3 --split sequential "$ten"
    run -0 rows shard-0 shard-1 shard-2
    assert_output "$(cat "$ten")"
}

@test "sizes of shards differ by at most one row" {
    dsgd-shard -q -n 3 "$ten"
    dsgd-shard --info shard-0 shard-1 shard-2 > info
    run -0 cut -f 2 info
    assert_output $'rows\n4\n3\n3'
}

@test "a shuffle loses no row and doubles none" {
    dsgd-shard -q -n 4 -s 9 "$ten"
    run -0 rows shard-0 shard-1 shard-2 shard-3
    assert_equal "$(sort <<< "$output")" "$(sort "$ten")"
    refute_output "$(cat "$ten")"
}

@test "the same seed gives the same bytes, another seed another order" {
    dsgd-shard -q -n 3 -s 5 -o 'a%d' "$ten"
    dsgd-shard -q -n 3 -s 5 -o 'b%d' "$ten"
    dsgd-shard -q -n 3 -s 6 -o 'c%d' "$ten"
    for i in 0 1 2; do
        cmp a$i b$i
    done
    rows a0 a1 a2 > a
    rows c0 c1 c2 > c
    run ! cmp -s a c
}

@test "a shuffle mixes the classes of a file that is sorted by them" {
    for ((i = 0; i < 400; i++)); do
        echo "$((i / 200)) 1:$i"
    done > sorted.svm
    dsgd-shard -q -n 4 sorted.svm
    for i in 0 1 2 3; do
        rows shard-$i > rows
        run -0 grep -c '^0' rows
        ((output >= 30 && output <= 70)) || fail "$output of 100 rows are of class 0"
    done
}

@test "a shard with rows of one class only is noticed" {
    run --separate-stderr -0 dsgd-shard -n 2 --split sequential "$ten"
    assert_equal "$output" ''
    assert_equal "${stderr_lines[1]}" 'dsgd-shard: shard-0 and 1 more have rows of one class only'
    run --separate-stderr -0 dsgd-shard -n 1 "$ten"
    assert_equal "${#stderr_lines[@]}" 1
}

@test "a summary on stderr tells rows, features, classes and stored values, -q tells nothing" {
    run --separate-stderr -0 dsgd-shard "$ten"
    assert_equal "$output" ''
    assert_equal "$stderr" 'dsgd-shard: 10 rows, 2 features, 2 classes, 20 stored values'
    run --separate-stderr -0 dsgd-shard -q "$ten"
    assert_equal "$output$stderr" ''
}

@test "more shards than rows are refused" {
    refuse 2 'rows.svm: 12 shards of 10 rows' -n 12 "$ten"
}

@test "names of shards take %d, %03d and %%, and nothing else" {
    dsgd-shard -q -n 2 -o 'a-%03d%%' "$ten"
    assert_file_exists a-000%
    assert_file_exists a-001%
    refuse 2 "needs %d for 2 shards" -n 2 -o one "$ten"
    refuse 2 "after '%'" -o 'x%s' "$ten"
    refuse 2 "after '%'" -o 'x%3d' "$ten"
    refuse 2 "more than one %d" -n 2 -o '%d-%d' "$ten"
}

@test "a stream of shards holds the same records as the files" {
    dsgd-shard -q -n 3 "$ten"
    dsgd-shard -q -n 3 -o - "$ten" > stream
    cat shard-0 shard-1 shard-2 | cmp - stream
}

@test "shards are read like any data: files, a stream, packed, in an archive, all in order" {
    dsgd-shard -q -n 3 --split sequential "$ten"
    cat shard-? > stream
    gzip -k stream
    tar cf all.tar shard-?
    rows shard-? > expected
    for input in "shard-0 shard-1 shard-2" stream stream.gz all.tar -; do
        # shellcheck disable=SC2086 # several operands
        dsgd-shard -q -o out --split sequential $input < stream
        run -0 rows out
        assert_output "$(cat expected)"
    done
    cat stream | dsgd-shard -q -o out --split sequential -
    run -0 rows out
    assert_output "$(cat expected)"
}

@test "--features widens rows, and is refused when the data are wider" {
    dsgd-shard -q -o wide --features 7 "$ten"
    run -0 rows --meta features wide
    assert_output 7
    printf 'y,a\n1,2\n0,3\n' | dsgd-shard -q -o dense --features 3 --label-column y --split sequential -
    run -0 rows dense
    assert_output $'1 1:2 2:0 3:0\n0 1:3 2:0 3:0'
    refuse 2 'rows.svm: --features 1: the data have 2' --features 1 "$ten"
}

@test "no shard appears when a later row is bad" {
    printf '1 1:1\n0 1:2\n1 1:x\n' > bad.svm
    refuse 3 "bad.svm:3: value 'x' is not a number" -n 2 "$PWD/bad.svm"
}

@test "no shard is left when one of them cannot be written" {
    mkdir -p blocked/shard-1
    cp "$ten" blocked/rows.svm
    run -4 env -C blocked dsgd-shard -q -n 3 rows.svm
    assert_output --partial 'shard-1'
    assert_equal "$(ls -A blocked)" $'rows.svm\nshard-1'
}

@test "more shards are written than files may be open" {
    for ((i = 0; i < 60; i++)); do
        echo "$((i % 2)) 1:$i"
    done > rows.svm
    run -0 bash -c 'ulimit -n 30 && dsgd-shard -q -n 60 rows.svm'
    shards=(shard-*)
    assert_equal ${#shards[@]} 60
}

@test "an input is never replaced by a shard" {
    cp "$ten" rows.svm
    run --separate-stderr -2 dsgd-shard -o rows.svm rows.svm
    assert_equal "$stderr" 'dsgd-shard: rows.svm: is an input, a shard would replace it'
    cmp rows.svm "$ten"
}

@test "a full disk is an error, and a shard on a terminal is refused" {
    [ -w /dev/full ] || skip "no /dev/full"
    run -4 dsgd-shard -q -o /dev/full "$ten"
    assert_output --partial '/dev/full'
    command -v script > /dev/null || skip "no script to make a terminal with"
    run -2 script -qec "dsgd-shard -o - '$ten'" /dev/null < /dev/null
    assert_output --partial 'is a terminal'
}

@test "--info prints a row for each shard" {
    dsgd-shard -q -n 2 -o 'i%d' --split sequential "$ten"
    run -0 dsgd-shard --info i0 i1
    assert_line -n 0 $'file\trows\tfeatures\tnnz\tclasses\tbytes\tchecksum'
    assert_line -n 1 --regexp $'^i0\t5\t2\t10\t2\t'"$(stat -c %s i0)"$'\t[0-9a-f]{8}$'
    assert_line -n 2 --regexp $'^i1\t5\t2\t10\t2\t'"$(stat -c %s i1)"$'\t[0-9a-f]{8}$'
}

@test "--info finds one changed bit, a lost end and what is no shard" {
    dsgd-shard -q -o whole "$ten"
    n=$(stat -c %s whole)
    { head -c $((n - 1)) whole && printf 'A'; } > changed
    run --separate-stderr -3 dsgd-shard --info whole changed
    assert_equal "$output" ''
    [[ $stderr == "dsgd-shard: changed: damaged: its checksum is "* ]] || fail "$stderr"
    head -c $((n - 1)) whole > cut
    run --separate-stderr -3 dsgd-shard --info cut
    [[ $stderr == "dsgd-shard: cut: ends at byte $((n - 1))"* ]] || fail "$stderr"
    run -3 dsgd-shard --info "$ten"
    assert_output --partial 'rows.svm: not a safetensors record'
    run -2 dsgd-shard --info
}

@test "shards that do not hold together are refused before a row is used" {
    command -v "$python" > /dev/null || skip "no python3 to damage shards with"
    dsgd-shard -q -o good "$ten"
    "$python" - <<'X'
import json, struct
data = open("good", "rb").read()
n = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + n])
def spoil(name, tensor, element, code, value):
    d = bytearray(data)
    at = 8 + n + header[tensor]["data_offsets"][0] + element * struct.calcsize(code)
    struct.pack_into(code, d, at, value)
    open(name, "wb").write(d)
spoil("index", "indices", 3, "<i", 2)
spoil("negative", "indices", 3, "<i", -1)
spoil("order", "indices", 1, "<i", 0)
spoil("offset", "indptr", 2, "<q", 1 << 40)
spoil("back", "indptr", 2, "<q", 1)
spoil("last", "indptr", 10, "<q", 18)
spoil("label", "labels", 0, "<d", float("nan"))
header["__metadata__"]["format"] = "dsgd-model 1"
text = json.dumps(header).encode()
open("model", "wb").write(struct.pack("<Q", len(text)) + text + data[8 + n :])
X
    for name in index negative order offset back last label model; do
        refuse 3 "$name: " "../$name"
    done
}

@test "whoever opens a shard refuses labels that are none of its classes" {
    command -v "$python" > /dev/null || skip "no python3 to damage shards with"
    dsgd-shard -q -o numbers "$ten"
    printf 'ham 1:1\nspam 1:2\n' > words.svm
    dsgd-shard -q -o words words.svm
    "$python" - <<'X'
import json, struct, zlib
def spoil(source, name, labels=(), classes=None):
    data = open(source, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + n]), bytearray(data[8 + n :])
    for row, label in labels:
        struct.pack_into("<d", body, header["labels"]["data_offsets"][0] + 8 * row, label)
    meta = header["__metadata__"]
    meta["crc32"] = "%08x" % zlib.crc32(body)
    if classes:
        meta["classes"] = json.dumps(classes(json.loads(meta["classes"])))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    open(name, "wb").write(struct.pack("<Q", len(text)) + text + body)
spoil("numbers", "sound")
spoil("numbers", "other", classes=lambda c: [[n, v + 0.9, w, o] for n, v, w, o in c])
spoil("numbers", "none", classes=lambda c: [])
spoil("words", "beyond", [(1, 2.0)])
spoil("words", "below", [(1, -1.0)])
spoil("words", "between", [(1, 0.5)])
X
    dsgd-shard -q -o out sound
    dsgd-ps -q -m logistic -J 1 -P 1 -o model -x "dsgd-worker sound"
    for name in other none beyond below between; do
        run -3 dsgd-shard -o again "$name"
        assert_output --regexp "^dsgd-shard: $name: row [0-9]+: its label is none of the classes"
        run -3 dsgd-worker -c unix:nobody "$name"
        assert_output --regexp "^dsgd-worker: $name: row [0-9]+: its label is none of the classes"
        run -3 dsgd-eval -m model "$name"
        assert_output --regexp "^dsgd-eval: $name: row [0-9]+: its label is none of the classes"
    done
}

@test "whoever opens a shard refuses one with a changed byte" {
    dsgd-shard -q -o whole "$ten"
    n=$(stat -c %s whole)
    { head -c $((n - 1)) whole && printf 'A'; } > changed
    cat whole changed > stream
    for program in "dsgd-shard -o again" "dsgd-worker -c unix:nobody"; do
        for input in changed stream; do
            run -3 $program "$input"
            assert_output --regexp "^${program%% *}: $input: damaged: its checksum is "
        done
    done
    assert_file_not_exists again
}

@test "files of one data set are of one kind" {
    record '\1' > images
    refuse 3 'images: cifar10 (bytes) after libsvm (sparse rows)' "$ten" "$PWD/images"
    printf 'y,a\n1,2\n0,3\n' > a.csv
    refuse 2 '--label-column goes with IDX, npy, npz, safetensors, CSV and TSV, this is libsvm' --label-column y "$ten" "$PWD/a.csv"
}

@test "files of one data set are read alike" {
    dsgd-shard -q -o zero --zero-based "$ten"
    refuse 3 'rows.svm: its base is 1, that of the files before 0' "$PWD/zero" "$ten"
    printf 'y,a,b\n1,2,3\n' > a.csv
    printf 'y,b,a\n1,2,3\n' > b.csv
    refuse 3 'b.csv: its columns is ["b","a"]' --label-column y "$PWD/a.csv" "$PWD/b.csv"
}

@test "numpy reads a shard in a few lines" {
    "$python" -c 'import numpy' 2> /dev/null || skip "no numpy"
    dsgd-shard -q -o s --split sequential "$ten"
    run -0 "$python" - <<'X'
import json, numpy
raw = numpy.fromfile("s", "u1")
n = int(raw[:8].view("<u8")[0])
header = json.loads(raw[8 : 8 + n].tobytes())
types = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1"}
t = {k: raw[8 + n :][slice(*v["data_offsets"])].view(types[v["dtype"]]).reshape(v["shape"])
     for k, v in header.items() if k != "__metadata__"}
assert (8 + n) % 64 == 0
print(t["labels"], t["values"][t["indices"] == 0].sum(), t["indptr"][-1])
X
    assert_output '[-1. -1. -1. -1. -1.  1.  1.  1.  1.  1.] 55.0 20'
}

@test "the metadata say where the rows came from" {
    dsgd-shard -q -n 2 -s 7 "$ten"
    for pair in 'format=dsgd-shard 1' rows=5 features=2 seed=7 shard=1 shards=2 \
        'data={"format":"libsvm","base":1}' "source=$ten" \
        "classes=[[\"-1\",-1.0,\"$ten:1\",0],[\"+1\",1.0,\"$ten:6\",5]]"; do
        run -0 rows --meta "${pair%%=*}" shard-1
        assert_output "${pair#*=}"
    done
}

@test "-f help and --split help print their tables" {
    run -0 dsgd-shard -f help
    for name in auto libsvm csv idx safetensors; do
        assert_line --regexp "^$name +[a-zA-Z]"
    done
    run -0 dsgd-shard --split help
    assert_line --regexp '^shuffle '
    assert_line --regexp '^sequential '
}

@test "a signal in the midst of writing leaves neither shards nor temporary files" {
    for i in {1..400}; do
        echo "$((i % 2)) 1:$i"
    done > rows.svm
    local signal shard status
    for signal in TERM HUP; do
        status=0
        dsgd-shard -q -n 400 rows.svm 3>&- &
        shard=$!
        until compgen -G '.shard-*' > /dev/null; do
            kill -0 $shard || fail "it ended before the signal"
        done
        kill -$signal $shard
        wait $shard || status=$?
        assert_equal "$status" "$((128 + $(kill -l $signal)))"
        assert_equal "$(ls -A)" rows.svm
    done
}
