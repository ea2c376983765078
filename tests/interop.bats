# Files between programs: the same rows out of every format; NumPy, SciPy and PyTorch beside us.
# bats file_tags=slow,plain

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

# The tensors of a shard, without its header.
data_of() {
    local n
    n=$(head -c 8 "$1" | od -An -tu8)
    tail -c +$((9 + n)) "$1"
}

# Reads operands into two shards and holds their tensors against those of the group, which the first one makes: its
# rows, but for zeros, are those of every other group.
#   same GROUP ARG...
same() {
    local group=$1 k
    shift
    dsgd-shard -q -n 2 -s 7 -o s%d "$@"
    for k in 0 1; do
        if [ -e "$group$k" ]; then
            data_of s$k | cmp - "$group$k" || fail "$*"
            continue
        fi
        data_of s$k > "$group$k"
        rows s$k | sed 's/ [0-9]*:0\>//g' > text
        [ -e "text$k" ] || cp text "text$k"
        diff text "text$k" || fail "$*"
    done
}

# Five rows of whole numbers, two classes.
numbers='1,0,3 0,5,0 7,0,0 0,0,9 2,4,6'
classes='1,0,1,1,0'

# Bytes of the numbers, as printf takes them, each with a text behind it and one in front.
as_bytes() {
    local v
    for v in ${1//,/ }; do
        printf '%s\\x%02x%s' "$3" "$v" "$2"
    done
}

@test "the same rows through every format are the same bytes in shards" {
    flat=${numbers// /,}
    paste -d , <(tr , '\n' <<< "$classes") <(tr ' ' '\n' <<< "$numbers") > rows.csv
    tr , '\t' < rows.csv > rows.tsv
    awk -F , '{ printf "%s", $1; for (j = 2; j <= NF; j++) if ($j) printf " %d:%s", j - 1, $j; print "" }' rows.csv > rows.svm
    npy '|u1' '(5,)' "$(as_bytes $classes '' '')" > y.npy
    printf "\0\0\x08\x01\0\0\0\5$(as_bytes $classes '' '')" > y.idx

    same sparse rows.svm
    same dense --no-header --label-column 1 rows.csv
    same dense --no-header --label-column 1 rows.tsv
    sed 's/"//g; 1i y,a,b,c' rows.csv > named.csv
    same dense --label-column y named.csv
    same dense --label-column y - < <(sed 's/[^,]*/"&"/g; s/$/\r/' named.csv)
    for kind in '<i2' '<u8'; do
        size=${kind: -1}
        npy "$kind" '(5, 3)' "$(as_bytes $flat "$(printf '\\0%.0s' $(seq 2 "$size"))" '')" > x.npy
        same dense x.npy --labels y.npy
    done
    npy '>i4' '(5, 3)' "$(as_bytes $flat '' '\0\0\0')" > x.npy
    same dense x.npy --labels y.npy
    same dense x.npy --labels y.idx
    "$python" -m zipfile -c rows.npz x.npy y.npy
    same dense rows.npz
    printf "\0\0\x0c\x02\0\0\0\5\0\0\0\3$(as_bytes $flat '' '\0\0\0')" > x.idx
    same dense x.idx --labels y.idx
    same dense x.idx --labels y.npy
    for dtype in I8 U16 BF16 F32 I64; do
        tensors t "x:$dtype:5x3:$flat" "y:U8:5:$classes"
        same dense t
    done
    npy '|u1' '(5, 3)' "$(as_bytes $flat '' '')" > x.npy
    same bytes x.npy --labels y.npy
    "$python" -m zipfile -c rows.npz x.npy y.npy
    same bytes rows.npz
    tensors t "x:U8:5x3:$flat" "y:I64:5:$classes"
    same bytes t
    npy '|S3' '()' csr > format.npy
    npy '<i4' '(2,)' '\5\0\0\0\3\0\0\0' > shape.npy
    npy '|u1' '(8,)' '\1\3\5\7\11\2\4\6' > data.npy
    npy '|u1' '(8,)' '\0\2\1\0\2\0\1\2' > indices.npy
    npy '|u1' '(6,)' '\0\2\3\4\5\10' > indptr.npy
    "$python" -m zipfile -c sparse.npz indices.npy indptr.npy format.npy shape.npy data.npy
    same sparse sparse.npz --labels y.npy
}

@test "SciPy and NumPy read our shards" {
    need scipy
    printf 'a 1:1.5 4:2\nb\nc 2:-1\n' | dsgd-shard -q -o sparse --split sequential -
    printf 'y,p,q\n1,0.5,2\n0,1e-3,4\n' | dsgd-shard -q -o dense --split sequential --label-column y -
    tensors t x:U8:2x2:0,255,51,1 y:U8:2:1,0
    dsgd-shard -q -o bytes --split sequential t
    "$python" - <<'END'
import json
import numpy as np
from scipy import sparse

KINDS = {"U8": "u1", "I32": "<i4", "I64": "<i8", "F32": "<f4", "F64": "<f8"}

def load(path):
    data = np.fromfile(path, dtype="u1")
    n = int(data[:8].view("<u8")[0])
    header = json.loads(bytes(data[8:8 + n]))
    meta = header.pop("__metadata__")
    body = data[8 + n:]
    return meta, {k: np.frombuffer(body[slice(*t["data_offsets"])], KINDS[t["dtype"]]).reshape(t["shape"])
                  for k, t in header.items()}

meta, t = load("sparse")
m = sparse.csr_matrix((t["values"], t["indices"], t["indptr"]), shape=(3, int(meta["features"])))
assert m.has_canonical_format
assert m.toarray().tolist() == [[1.5, 0, 0, 2], [0, 0, 0, 0], [0, -1, 0, 0]]
assert [c[0] for c in json.loads(meta["classes"])] == ["a", "b", "c"] and t["labels"].tolist() == [0, 1, 2]
meta, t = load("dense")
assert (t["x"] == np.array([[0.5, 2], [1e-3, 4]], "f4")).all() and t["labels"].tolist() == [1, 0]
meta, t = load("bytes")
assert t["x"].tolist() == [[0, 255], [51, 1]] and float(meta["scale"]) == 1
END
}

@test "NumPy reads our models and we read its own" {
    need numpy
    gzip -dc "$top_srcdir/share/data/digits-train.csv.gz" | head -n 200 > digits.csv
    dsgd-shard -q -o s --split sequential --no-header --label-column 65 --scale maxabs digits.csv
    dsgd-sim -q -m softmax -P 1 -d const:1s -b 20 -e 0.1 -J 60 -o model s
    dsgd-eval -m model --predict digits.csv > ours
    "$python" - <<'END'
import json
import numpy as np

data = np.fromfile("model", dtype="u1")
n = int(data[:8].view("<u8")[0])
header = json.loads(bytes(data[8:8 + n]))
meta, body = header["__metadata__"], data[8 + n:]
tensor = {k: np.frombuffer(body[slice(*t["data_offsets"])], "<f4").reshape(t["shape"])
          for k, t in header.items() if k != "__metadata__"}
scaling = json.loads(meta["data"])["scaling"]
names = [c[0] for c in json.loads(meta["classes"])]
x = np.loadtxt("digits.csv", delimiter=",")[:, :64]
x = (x - np.array(scaling.get("shift", 0))) * np.array(scaling["factor"])
scores = x @ tensor["weight"].T + tensor["bias"]
with open("theirs", "w") as f:
    print(*(names[i] for i in scores.argmax(1)), sep="\n", file=f)
# Written by another hand: the tensors in another order, the metadata last, nothing aligned; and with its scores
# turned round the class that was best is the worst.
header, at, blocks = {}, 0, []
for k in "weight", "bias":
    block = (-tensor[k]).astype("<f4").tobytes()
    header[k] = {"shape": list(tensor[k].shape), "data_offsets": [at, at + len(block)], "dtype": "F32"}
    at += len(block)
    blocks.append(block)
header["__metadata__"] = dict(reversed(list(meta.items())))
text = json.dumps(header, indent=1).encode()
with open("turned", "wb") as f:
    f.write(len(text).to_bytes(8, "little") + text + b"".join(blocks))
with open("worst", "w") as f:
    print(*(names[i] for i in scores.argmin(1)), sep="\n", file=f)
END
    cmp ours theirs
    dsgd-eval -m turned --predict digits.csv | cmp - worst
    # and goes on from it
    dsgd-sim -q -m softmax --init turned -P 1 -d const:1s -b 20 -e 0.1 -J 1 -o next s
    run -0 dsgd-eval -m next digits.csv
    [ "$(awk 'NR == 2 { print ($4 > 0.5) }' <<< "$output")" = 1 ] || fail "$output"
}

@test "NumPy's own files are read: every order, every version" {
    need numpy
    "$python" - <<'END'
import numpy as np
a = (np.arange(12).reshape(4, 3) - 5) / 4
y = np.array([1.5, 2, 2, -1])
np.save("y", y)
for i, x in enumerate((a, np.asfortranarray(a), a.astype(">f4"), a[::-1][::-1], a.astype("f2"), a.reshape(4, 1, 3))):
    np.save("x%d" % i, x)
np.savez("z", data=a, target=y, note=np.array("text"), weights=np.ones(4))
np.savez_compressed("c", y=y, x=np.asfortranarray(a.astype(">f8")))
END
    for i in 0 1 2 3 4 5; do
        run -0 read_rows "x$i.npy" --labels y.npy
        assert_line -n 0 '1.5 1:-1.25 2:-1 3:-0.75'
        first=${first:-$output}
        assert_equal "$output" "$first"
    done
    for file in z c; do
        run -0 read_rows $file.npz
        assert_equal "$output" "$first"
    done
    "$python" -c 'import numpy as np; np.save("s", np.float32(3)); np.save("r", np.zeros(2, "f4,i4")); np.save("c", np.zeros((2, 2), "c8")); np.save("g", np.zeros((2, 2), "g"))'
    refuse 3 's.npy: one number, not an array of rows' "$PWD/s.npy" --labels "$PWD/y.npy"
    refuse 3 'r.npy: the array has named fields; only plain numbers are read' "$PWD/r.npy" --labels "$PWD/y.npy"
    refuse 3 'c.npy: numbers of kind "<c8"' "$PWD/c.npy" --labels "$PWD/y.npy"
    refuse 3 'g.npy: numbers of kind "<f16"' "$PWD/g.npy" --labels "$PWD/y.npy"
}

@test "PyTorch reads our shards and models, and comes to the same answers" {
    need torch
    printf 'y,p,q\n1,0.5,2\n0,1e-3,4\n' | dsgd-shard -q -o dense --split sequential --label-column y -
    dsgd-sim -q -m logistic -P 1 -d const:1s -b 2 -e 1 -J 50 -o model dense
    dsgd-eval -m model --predict dense > ours
    "$python" - <<'END'
import json
import torch

def load(path):
    data = open(path, "rb").read()
    n = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + n])
    header.pop("__metadata__")
    kinds = {"F32": torch.float32, "F64": torch.float64}
    return {k: torch.frombuffer(bytearray(data[8 + n:][slice(*t["data_offsets"])]), dtype=kinds[t["dtype"]])
            .reshape(t["shape"]) for k, t in header.items()}

shard, model = load("dense"), torch.nn.Linear(2, 1)
model.load_state_dict(load("model"))
with open("theirs", "w") as f:
    print(*(model(shard["x"])[:, 0] > 0).int().tolist(), sep="\n", file=f)
END
    cmp ours theirs
}

@test "the safetensors package reads our shards and models, and what it writes is data" {
    need safetensors.numpy
    printf '1 1:2\n0 2:1\n' | dsgd-shard -q -o s --split sequential -
    "$python" - <<'END'
import numpy as np
from safetensors.numpy import load_file, save_file
t = load_file("s")
assert t["values"].tolist() == [2, 1] and t["indptr"].tolist() == [0, 1, 2]
save_file({"labels": np.array([1, 0]), "x": np.array([[2, 0], [0, 1]], "f2")}, "theirs")
END
    run -0 read_rows theirs
    assert_output $'1 1:2 2:0\n0 1:0 2:1'
}
