# dsgd-eval beyond loss and error: measures, the confusion matrix, chances, weights for other programs. The
# references are computed here from the chances, or by other programs where they are installed.

setup_file() {
    load lib/common.bash
    cd "$BATS_FILE_TMPDIR" || return
    local data=$top_srcdir/share/data
    dsgd-shard -q -o many --scale standard --no-header --label-column 65 "$data/digits-train.csv.gz"
    gzip -dc "$data/digits-test.csv.gz" > many.csv
    awk -F, -v OFS=, '{ $65 = $65 % 2 ? "odd" : "even" } 1' many.csv > two.csv
    gzip -dc "$data/digits-train.csv.gz" | awk -F, -v OFS=, '{ $65 = $65 % 2 ? "odd" : "even" } 1' |
        dsgd-shard -q -f csv -o two --no-header --label-column 65 --scale maxabs -
    train many softmax
    train two logistic
    train many least-squares
}

# train SHARD MODEL: into the file MODEL.
train() {
    dsgd-sim -q -d const:1ms -p sync -P 1 -b 100 -J 60 -m "$2" -e 0.05 -o "$2" "$1"
}

setup() {
    load lib/common.bash
    cd "$BATS_FILE_TMPDIR" || return
}

# Measures from labels and chances, by their definitions: of every pair of rows, of every row.
reference() {
    awk -F '\t' '
        FNR == NR { y[FNR] = $1; next }
        FNR == 1 { for (k = 2; k <= NF; k++) name[k] = substr($k, 3); classes = NF - 1; next }
        { i = FNR - 1; said[i] = $1; n = i
          for (k = 2; k <= NF; k++) { p[i, k] = $k; if (name[k] == y[i]) loss -= log($k) } }
        END {
            for (i = 1; i <= n; i++) {
                right += said[i] == y[i]; as[said[i]]++; of[y[i]]++; both[y[i]] += said[i] == y[i]
            }
            for (k = classes == 2 ? 3 : 2; k <= classes + 1; k++) {
                f1 += 2 * both[name[k]] / (as[name[k]] + of[name[k]]); got = 0; pairs = 0
                for (i = 1; i <= n; i++) if (y[i] == name[k])
                    for (j = 1; j <= n; j++) if (y[j] != name[k]) {
                        pairs++; got += p[i, k] > p[j, k] ? 1 : p[i, k] == p[j, k] ? 0.5 : 0
                    }
                auc += got / pairs
            }
            many = classes == 2 ? 1 : classes
            printf "%.6f %.6f %.6f %.5f\n", right / n, auc / many, f1 / many, loss / n
        }' "$1" "$2"
}

@test "measures are what their definitions say, of two classes and of many" {
    for pair in 'softmax many' 'logistic two'; do
        read -r model data <<< "$pair"
        cut -d, -f65 $data.csv > labels
        dsgd-eval -m $model --proba $data.csv > chances
        dsgd-eval -m $model --scores accuracy,auc --scores f1,log-loss $data.csv > scores
        run -0 head -n 1 scores
        assert_output $'iteration\ttime\tloss\terror\taccuracy\tauc\tf1\tlog-loss'
        run -0 awk 'NR == 2 { printf "%.6f %.6f %.6f %.5f\n", $5, $6, $7, $8 }' scores
        assert_output "$(reference labels chances)"
    done
}

@test "every model of a stream has its measures" {
    one=$(dsgd-eval -m logistic --scores auc,f1 two.csv)
    run -0 dsgd-eval --scores auc,f1 two.csv < <(cat logistic logistic)
    assert_output "$one"$'\n'"$(tail -n 1 <<< "$one")"
}

@test "the same measures by scikit-learn" {
    python=/usr/bin/python3
    "$python" -c 'import sklearn' 2> /dev/null || skip 'no scikit-learn'
    dsgd-eval -m softmax --proba many.csv > chances
    run -0 "$python" - <<'PY'
import numpy as np
from sklearn.metrics import roc_auc_score, f1_score
y = np.loadtxt("many.csv", delimiter=",")[:, 64]
t = np.loadtxt("chances", skiprows=1)
p = t[:, 1:] / t[:, 1:].sum(1, keepdims=True)
print("%.6f %.6f" % (roc_auc_score(y, p, multi_class="ovr"), f1_score(y, t[:, 0], average="macro")))
PY
    assert_output "$(dsgd-eval -m softmax --scores auc,f1 many.csv | awk 'NR == 2 { printf "%.6f %.6f\n", $5, $6 }')"
}

@test "targets: r2 and the mean distance, by their definitions; what has no meaning is NA" {
    dsgd-eval -m least-squares --predict many.csv | paste -d ' ' - <(cut -d, -f65 many.csv) > pairs
    expected=$(awk '{ s[NR] = $1; y[NR] = $2; mean += $2 }
        END { mean /= NR
              for (i = 1; i <= NR; i++) {
                  left += (s[i] - y[i]) ^ 2; all += (y[i] - mean) ^ 2; off += s[i] > y[i] ? s[i] - y[i] : y[i] - s[i] }
              printf "%.5f %.5f NA NA NA NA\n", 1 - left / all, off / NR }' pairs)
    dsgd-eval -m least-squares --scores r2,mae,auc,f1,accuracy,log-loss many.csv > scores
    run -0 awk 'NR == 2 { printf "%.5f %.5f %s %s %s %s\n", $5, $6, $7, $8, $9, $10 }' scores
    assert_output "$expected"
    grep odd two.csv > odd.csv
    run -0 dsgd-eval -m logistic --scores auc,r2,mae odd.csv
    assert_line -n 1 --regexp $'\tNA\tNA\tNA$'
    dsgd-sim -q -d const:1ms -p sync -P 1 -b 100 -J 20 -m hinge -e 0.01 -o hinge two
    run -0 dsgd-eval -m hinge --scores log-loss,auc two.csv
    assert_line -n 1 --regexp $'\tNA\t0\.[5-9][0-9]*$'
}

@test "measures of weighted rows are those of rows that are there several times" {
    dsgd-shard -q -o balanced --like two --balance two.csv
    counts=$(cut -d, -f65 two.csv | sort | uniq -c | awk '{ print $1 }' | paste -sd ' ')
    read -r even odd <<< "$counts"
    # even rows odd times, and odd rows even times: both classes are equally many
    awk -F, -v even="$even" -v odd="$odd" '{ n = $65 == "even" ? odd : even; while (n-- > 0) print }' two.csv > repeated.csv
    wanted=$(dsgd-eval -m logistic --scores accuracy,auc,f1,log-loss repeated.csv | awk 'NR == 2 { printf "%.5f %.5f %.5f %.5f\n", $5, $6, $7, $8 }')
    run -0 awk 'NR == 2 { printf "%.5f %.5f %.5f %.5f\n", $5, $6, $7, $8 }' <(dsgd-eval -m logistic --scores accuracy,auc,f1,log-loss balanced)
    assert_output "$wanted"
}

@test "the confusion matrix counts what --predict says" {
    dsgd-eval -m softmax --predict many.csv | paste -d ' ' <(cut -d, -f65 many.csv) - | sort | uniq -c |
        awk '{ print $2, $3, $1 }' > expected
    dsgd-eval -m softmax --confusion many.csv > matrix
    run -0 awk -F '\t' 'NR == 1 { for (k = 8; k <= NF; k++) as[k] = substr($k, 4); next }
        { for (k = 8; k <= NF; k++) if ($k > 0) print $1, as[k], $k }' matrix
    assert_output "$(cat expected)"
    run -0 awk -F '\t' 'NR > 1 { sum = 0; for (k = 8; k <= NF; k++) sum += $k
        if (sum != $2 || $(7 + NR - 1) != $4 || ($4 / $3 - $5) ^ 2 + ($4 / $2 - $6) ^ 2 > 1e-12) print "wrong: " $0 }' matrix
    assert_output ''
    run -0 dsgd-eval -m softmax --confusion --json many.csv
    assert_line -n 0 --partial '{"schema":"dsgd-eval-confusion/1","label":"0","rows":35,'
    run -2 --separate-stderr dsgd-eval -m least-squares --confusion many.csv
    assert_equal "$stderr" 'dsgd-eval: --confusion: least-squares has targets, not classes'
}

@test "a label that the model never saw has a row of its own in the matrix" {
    { cat two.csv; head -n 2 two.csv | sed 's/[a-z]*$/neither/'; } > three.csv
    run -0 --separate-stderr dsgd-eval -m logistic --confusion three.csv
    assert_line -n 3 --regexp $'^NA\t2\t0\t0\tNA\t0\t0\t'
}

@test "chances add up to 1, and need a model that has them" {
    run -0 awk 'NR > 1 { sum = 0; for (k = 2; k <= NF; k++) sum += $k; if ((sum - 1) ^ 2 > 1e-12) print }' <(dsgd-eval -m softmax --proba many.csv)
    assert_output ''
    cut -d, -f1-64 many.csv > unlabelled.csv
    run -0 dsgd-eval -m softmax --proba unlabelled.csv
    assert_output "$(dsgd-eval -m softmax --proba many.csv)"
    run -2 dsgd-eval -m least-squares --proba many.csv
    assert_output 'dsgd-eval: --proba: least-squares knows no chances of classes'
}

@test "questions that exclude each other, or need a model, are refused" {
    run -2 dsgd-eval -m softmax --proba --predict many.csv
    assert_output 'dsgd-eval: --proba or --predict, not both'
    run -2 dsgd-eval --confusion many.csv
    assert_output 'dsgd-eval: --confusion needs --model: it is of one model'
    run -2 dsgd-eval -m softmax --scores auc,auc many.csv
    assert_output 'dsgd-eval: --scores: auc is asked for twice'
    run -2 dsgd-eval -m softmax --scores auk many.csv
    assert_output --partial 'accuracy'
    run -2 dsgd-eval -m softmax --export csv many.csv
    assert_output 'dsgd-eval: many.csv: --export writes the model alone, it takes no data'
}

# Labels that weights in a table of CSV give to rows of CSV with the label last.
by_weights() {
    awk -F, 'FNR == NR { if (FNR > 1) { label[FNR - 1] = $1; bias[FNR - 1] = $2; n = FNR - 1
                                        for (j = 3; j <= NF; j++) w[FNR - 1, j - 2] = $j } next }
        { best = ""; for (c = 1; c <= n; c++) { s = bias[c]; for (j = 1; j < NF; j++) s += w[c, j] * $j
              if (best == "" || s > top) { top = s; best = label[c] } }
          print n == 1 ? (top > 0 ? label[1] : other) : best }' other="$3" "$1" "$2"
}

@test "exported weights suit rows that are not scaled: CSV" {
    dsgd-eval -m softmax --export csv > weights.csv
    run -0 by_weights weights.csv many.csv ''
    assert_output "$(dsgd-eval -m softmax --predict many.csv)"
    dsgd-eval -m logistic --export csv > weights.csv
    run -0 by_weights weights.csv two.csv even
    assert_output "$(dsgd-eval -m logistic --predict two.csv)"
    dsgd-sim -q -d const:1ms -p sync -P 1 -b 100 -J 2 -m mlp:4 -o mlp many
    run -2 dsgd-eval -m mlp --export csv
    assert_output 'dsgd-eval: --export csv: mlp is no linear model: npz holds any'
}

@test "exported weights: NumPy reads them, strings and all" {
    python=/usr/bin/python3
    "$python" -c 'import numpy' 2> /dev/null || skip 'no NumPy'
    dsgd-eval -m softmax --export npz > weights.npz
    dsgd-eval -m softmax --export npz | cmp - weights.npz
    run -0 "$python" - <<'PY'
import numpy as np
z = np.load("weights.npz")
t = np.loadtxt("many.csv", delimiter=",")
x = (t[:, :64] - z["scaling.shift"]) * z["scaling.factor"]
print("\n".join(z["classes"][(x @ z["weight"].T + z["bias"]).argmax(1)]))
PY
    assert_output "$(dsgd-eval -m softmax --predict many.csv)"
}

@test "exported arrays are not written to a terminal" {
    command -v script > /dev/null || skip 'no script(1)'
    run -2 script -qec 'dsgd-eval -m softmax --export npz' /dev/null < /dev/null
    assert_output --partial 'is a terminal'
}

@test "exported weights: LIBLINEAR predicts as we do" {
    command -v liblinear-predict > /dev/null || skip 'no liblinear-predict'
    svm='{ printf "%s", $65 ~ /[a-z]/ ? $65 == "odd" : $65; for (j = 1; j <= 64; j++) if ($j != 0) printf " %d:%s", j, $j; print "" }'
    awk -F, "$svm" many.csv > many.svm
    for model in softmax least-squares; do
        dsgd-eval -m $model --export libsvm-weights > linear.model
        liblinear-predict many.svm linear.model said > /dev/null
        paste said <(dsgd-eval -m $model --predict many.csv) |
            awk '($1 - $2) ^ 2 > 1e-8 * (1 + $2 ^ 2) { exit 1 }' || fail "$model: other predictions"
    done
    awk -F, "$svm" two.csv > two.svm
    dsgd-eval -q -m logistic --export libsvm-weights > linear.model
    liblinear-predict -b 1 two.svm linear.model said > /dev/null
    # its columns are labels 1 and 0, in this order
    tail -n +2 said | paste - <(dsgd-eval -m logistic --proba two.csv | tail -n +2) |
        awk '($2 - $6) ^ 2 > 1e-10 { exit 1 }' || fail 'other chances'
}
