# Arrays that come together: other people's safetensors, NumPy's npz, SciPy's sparse matrices.

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

need() {
    "$python" -c "import $1" 2> /dev/null || skip "no $1"
}

tensors() {
    "$python" "$top_srcdir/tests/lib/tensors.py" "$@"
}

# An npz of npy files: NAME=FILE...
npz() {
    "$python" - "$@" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    for arg in sys.argv[2:]:
        name, path = arg.split("=")
        z.write(path, name + ".npy")
END
}

@test "tensors of other people are rows and labels by the usual names, or when only one can be" {
    while read -r names; do
        read -r x y <<< "$names"
        tensors t "$y:I64:3:1,0,1" scalar:F32::7 "$x:F32:3x2:1,2,3,4,5,6" '{"format": "pt"}'
        run -0 read_rows t
        assert_output $'1 1:1 2:2\n0 1:3 2:4\n1 1:5 2:6'
        run -0 rows --meta data s
        assert_output '{"format":"safetensors"}'
        run -0 read_rows - < t
        assert_output $'1 1:1 2:2\n0 1:3 2:4\n1 1:5 2:6'
    done <<'X'
x y
X Y
data labels
images label
features targets
inputs target
train_x train_y
X
    tensors t x:U8:2x2x1x2:1,2,3,4,5,6,7,8 mean:F32:3:0,0,0 y:U8:2x1:9,8
    run -0 read_rows t
    assert_output $'9 1:1 2:2 3:3 4:4\n8 1:5 2:6 3:7 4:8'
    gzip -kc t > t.gz
    run -0 read_rows t.gz t
    assert_equal "${#lines[@]}" 4
}

@test "tensors of every dtype are read as they are" {
    while read -r dtype number value; do
        tensors one "x:$dtype:1x1:$number" y:F64:1:1.5
        run -0 read_rows one
        assert_output "1.5 1:$value"
    done <<'X'
BOOL 1 1
U8 254 254
I8 -2 -2
U16 65534 65534
I16 -2 -2
F16 -1.5 -1.5
BF16 -1.5 -1.5
BF16 3e38 2.99076299e+38
U32 65536 65536
I32 -65536 -65536
F32 -1.5 -1.5
U64 4294967296 4.2949673e+09
I64 -2 -2
F64 -1.5 -1.5
X
}

@test "tensors are named by -f, and a model knows the names" {
    tensors t pixels:F32:2x1:1,-1 more:F32:2x2:1,2,3,4 class:U8:2:1,0 other:U8:2:1,1
    run -0 read_rows -f safetensors:x=pixels,labels=class t
    assert_output $'1 1:1\n0 1:-1'
    run -0 rows --meta data s
    assert_output '{"format":"safetensors","arrays":{"x":"pixels","labels":"class"}}'
    dsgd-sim -q -m logistic -P 1 -d const:1s -b 4 -J 9 -o model s
    run -0 dsgd-eval -m model t
    assert_equal "$(cut -f 4 <<< "${lines[1]}")" 0
    run -0 dsgd-eval -m model --predict <(tensors /dev/stdout pixels:F32:1x1:-3 class:U8:1:0)
    assert_output 0
    refuse 2 "s: is a shard: safetensors:x=pixels names tensors of other people's" -f safetensors:x=pixels "$PWD/s"
    refuse 2 "s: a shard has its labels in it: leave out --labels" --labels "$PWD/t" "$PWD/s"
}

@test "labels of tensors can be in another file or a column" {
    tensors t x:F32:2x3:1,2,3,4,5,6
    npy '|u1' '(2,)' '\7\10' > y.npy
    run -0 read_rows t --labels y.npy
    assert_output $'7 1:1 2:2 3:3\n8 1:4 2:5 3:6'
    run -0 read_rows t --label-column 1
    assert_output $'1 1:2 2:3\n4 1:5 2:6'
}

@test "tensors and arrays can bring weights, which are led to a mean of 1" {
    tensors t x:F32:2x1:5,6 y:U8:2:1,0 sample_weight:F32:2:1,3
    npy '|u1' '(2, 1)' '\5\6' > x.npy
    npy '|u1' '(2,)' '\1\0' > y.npy
    npy '<f2' '(2,)' '\0\x3c\0\x42' > w.npy
    npz n.npz x=x.npy y=y.npy weights=w.npy
    for input in t n.npz; do
        run -0 read_rows "$input"
        assert_output $'1 1:5\n0 1:6'
        run -0 rows --weights s
        assert_output $'0.5\n1.5'
    done
    tensors t x:F32:2x1:5,6 y:U8:2:1,0 weights:F32:2:1,-3
    refuse 3 't(weights): row 2: weight -3: weights are finite numbers from 0 on' "$PWD/t"
    tensors t x:F32:2x1:5,6 y:U8:2:1,0 weights:F32:3:1,3,2
    refuse 3 't(x) has 2 rows, ' "$PWD/t"
    refuse 3 "t: no array 'w' for the weights; it has x, y, weights" -f safetensors:weights=w "$PWD/t"
}

@test "tensors that do not make rows are refused by name" {
    while IFS='|' read -r status text list; do
        # shellcheck disable=SC2086 # the tensors, a word each
        tensors t $list
        refuse "$status" "$text" "$PWD/t"
    done <<'X'
2|t: no array 'x' for the rows; it has a, b, y: name one by -f safetensors:x=NAME|a:F32:1x1:1 b:F32:1x1:1 y:U8:1:1
2|t: no array 'y' for the labels; it has x, a, b: name one by -f safetensors:labels=NAME, or give --labels FILE|x:F32:1x1:1 a:U8:1:1 b:U8:1:1
2|t: no array 'y' for the labels; it has x, mean|x:F32:1x1:1 mean:F32:2:1,1
3|t(y) has 2 labels|x:F32:1x1:1 y:U8:2:1,1
3|t(y): 2 numbers a row, a label is one|x:F32:1x1:1 y:U8:1x2:1,1
3|t(X): a second array beside |x:F32:1x1:1 X:F32:1x1:1 y:U8:1:1
3|t(x): one dimension; rows need two or more|x:F32:2:1,2 y:U8:2:1,0
3|t(x): row 2: number 1 is missing (--missing zero, mean or drop)|x:F32:2x1:1,nan y:U8:2:1,0
3|t: tensor 'x': dtype F8_E4M3: known are BOOL, |x:F8_E4M3:1x1:1 y:U8:1:1
3|t: no rows|x:F32:0x2: y:U8:0:
X
    tensors t x:F32:2x1:1,2 y:U8:2:1,0
    refuse 3 "t: no array 'z' for the rows; it has x, y: name" -f safetensors:x=z "$PWD/t"
}

@test "an npz may have other arrays beside, and names of its own" {
    npy '|u1' '(2, 1)' '\3\4' > x.npy
    npy '|u1' '(2,)' '\1\0' > y.npy
    npy '|O' '(1,)' 'x' > o.npy
    npz n.npz train=x.npy classes=y.npy notes=o.npy
    run -0 read_rows n.npz
    assert_output $'1 1:3\n0 1:4'
    npz n.npz train=x.npy test=x.npy classes=y.npy
    refuse 2 "n.npz: no array 'x' for the rows; it has train, test, classes" "$PWD/n.npz"
    run -0 read_rows -f npz:x=test n.npz
    assert_output $'1 1:3\n0 1:4'
    npz n.npz train=x.npy
    run -0 read_rows n.npz --labels y.npy
    assert_output $'1 1:3\n0 1:4'
    tar cf n.tar x.npy
    run -0 read_rows n.tar --labels y.npy
    assert_output $'1 1:3\n0 1:4'
}

@test "sparse matrices of SciPy of every form are the same rows" {
    need scipy
    "$python" - <<'END'
import numpy as np
from scipy import sparse
a = np.zeros((6, 4))
a[0, 0], a[0, 3], a[2, 1], a[3, 3], a[4, 0], a[5, 2] = 1, 2.5, -3, 4, 5, 6e-3
for form in "csr", "csc", "coo", "bsr", "dia":
    m = sparse.csr_matrix(a).asformat(form)
    sparse.save_npz(form, m, compressed=form != "coo")
sparse.save_npz("bsr2", sparse.bsr_matrix(a, blocksize=(3, 2)))
sparse.save_npz("shuffled", sparse.coo_matrix(sparse.coo_matrix(a).tocsc()))
sparse.save_npz("single", sparse.csc_matrix(a.astype("f4")))
np.savez("own", y=np.arange(6) % 2, **{k: v for k, v in np.load("csr.npz").items()})
np.save("y", np.arange(6) % 2)
END
    for form in csr csc coo bsr dia bsr2 shuffled single; do
        run -0 read_rows "$form.npz" --labels y.npy
        assert_output $'0 1:1 4:2.5\n1\n0 2:-3\n1 4:4\n0 1:5\n1 3:0.00600000005'
        sums="${sums-}$(dsgd-shard --info s | awk 'NR == 2 { print $NF }') "
    done
    run -0 read_rows own.npz
    assert_line -n 0 '0 1:1 4:2.5'
    assert_equal "$(tr ' ' '\n' <<< "$sums" | sort -u | sed 1d | wc -l)" 1
    run -0 rows --meta features s
    assert_output 4
    run -0 rows --meta data s
    assert_output '{"format":"npz"}'
}

# A matrix of SciPy's by hand: its form, and data, indices and indptr of one byte each.
matrix() {
    npy "|S${#1}" '()' "$1" > format.npy
    npy '|u1' '(2,)' '\2\3' > shape.npy
    npy '|u1' "($(($(printf "$2" | wc -c))),)" "$2" > data.npy
    npy '|u1' "($(($(printf "$3" | wc -c))),)" "$3" > indices.npy
    npy '|u1' "($(($(printf "$4" | wc -c))),)" "$4" > indptr.npy
    npz m.npz indices=indices.npy indptr=indptr.npy format=format.npy shape=shape.npy data=data.npy
}

@test "a sparse matrix that does not hold together is refused" {
    npy '|u1' '(2,)' '\1\0' > y.npy
    npy '|u1' '(3,)' '\1\0\1' > y-3.npy
    matrix csr '\1\2\3' '\0\2\1' '\0\2\3'
    run -0 read_rows m.npz --labels y.npy
    assert_output $'1 1:1 3:2\n0 2:3'
    refuse 3 "m.npz has 2 rows, $PWD/y-3.npy has 3 labels" "$PWD/m.npz" --labels "$PWD/y-3.npy"
    refuse 2 "m.npz: no array 'y' for the labels; it has indices, indptr, format, shape, data" "$PWD/m.npz"
    refuse 2 'm.npz: --label-column: a sparse matrix has its labels' "$PWD/m.npz" --label-column 1
    while IFS='|' read -r text form data indices indptr; do
        matrix "$form" "$data" "$indices" "$indptr"
        refuse 3 "m.npz: $text" "$PWD/m.npz" --labels "$PWD/y.npy"
    done <<'X'
'indices' has 3 at 1: whole numbers below 3|csr|\1\2\3|\0\3\1|\0\2\3
'indptr' does not ascend|csr|\1\2\3|\0\2\1|\0\2\1
'indptr' has 9 at 2: whole numbers below 4|csr|\1\2\3|\0\2\1|\0\2\11
'indptr' of a matrix of form 'csr' has 2 numbers, not 3|csr|\1\2\3|\0\2\1|\0\3
'indptr' of a matrix of form 'csc' has 3 numbers, not 4|csc|\1\2\3|\0\2\1|\0\2\3
'indices' of a matrix of form 'csr' has 2 numbers, not 3|csr|\1\2\3|\0\2|\0\2\3
row 1: feature index 0 stands twice in one row|csr|\1\2\3|\0\0\1|\0\2\3
a sparse matrix of form 'dok': csr, csc, coo, bsr and dia are read|dok|\1\2\3|\0\2\1|\0\2\3
'data' of a matrix of form 'bsr' must have 3 dimensions|bsr|\1\2\3|\0\2\1|\0\2\3
a matrix of form 'coo' without an array 'row'|coo|\1\2\3|\0\2\1|\0\2\3
X
    npy '<i8' '(2,)' '\0\0\0\0\0\1\0\0\3\0\0\0\0\0\0\0' > shape.npy
    npz m.npz row=indices.npy col=indices.npy format=format.npy shape=shape.npy data=data.npy
    refuse 3 'm.npz has 1099511627776 rows, ' "$PWD/m.npz" --labels "$PWD/y.npy"
}
