# Sets whose best accuracy is known: published ones in $DSGD_DATA, and one made with planted weights.
# bats file_tags=data

setup() {
    load lib/common.bash
    load lib/training.bash
}

teardown() {
    leave_nothing
}

need() {
    [ -e "${DSGD_DATA-}/$1" ] || skip "data: no $1 in DSGD_DATA"
}

shard8() {
    dsgd-shard -q -n 8 -o "$BATS_FILE_TMPDIR/shard-%d" "$@"
}

@test "softmax on ten thousand digits of MNIST reaches 93.0 to 94.05 %, within half a point" {
    need mnist-10k/train-images-idx3-ubyte.gz
    cd "$DSGD_DATA/mnist-10k"
    shard8 train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz
    for policy in sync k-async:4; do
        train8 "$policy" 8000 0.0125 -m softmax --l2 0.001 -b 32
        assert_near "$(accuracy val-images-idx3-ubyte.gz --labels val-labels-idx1-ubyte.gz)" \
            0.93525 0.01025 "$policy"
    done
}

@test "a network on ten thousand digits of MNIST reaches 96.5 %, as the manual trains it" {
    need mnist-10k/train-images-idx3-ubyte.gz
    cd "$DSGD_DATA/mnist-10k"
    dsgd-shard -q -o "$BATS_TEST_TMPDIR/shard" train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz
    dsgd-sim -q -m mlp:128 -b 64 -O momentum:0.9 -e step:0.05,factor=0.3,every=1560 -E 20 -d const:1s \
        -o "$BATS_TEST_TMPDIR/model" "$BATS_TEST_TMPDIR/shard"
    assert_near "$(accuracy val-images-idx3-ubyte.gz --labels val-labels-idx1-ubyte.gz)" 1 0.035 mlp:128
}

@test "logistic on a9a reaches 84.98 %, within half a point, although its test file is narrower" {
    need libsvm/a9a.gz
    shard8 "$DSGD_DATA/libsvm/a9a.gz"
    for policy in sync k-batch-async:4; do
        train8 "$policy" 5000 0.05 -m logistic -b 64
        assert_near "$(accuracy "$DSGD_DATA/libsvm/a9a.t.gz")" 0.8498 0.005 "$policy"
    done
}

# Rows of 20 of 400 features, labels drawn from the logistic model with planted weights, as libsvm;
# prints the accuracy of the planted weights themselves.
#   plant ROWS SEED FILE
plant() {
    awk -v rows="$1" -v seed="$2" -v file="$3" '
        # A generator of our own: awks differ in theirs. Uniform in (0, 1).
        function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
        function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
        BEGIN {
            state = 4711
            for (i = 0; i < 400; i++) w[i] = 2 * normal()
            state = seed
            for (r = 0; r < rows; r++) {
                at = score = 0
                line = ""
                for (n = 0; n < 20; n++) {
                    at = n * 20 + int(20 * uniform())
                    x = int(2000 * uniform() - 1000) / 1000
                    score += w[at] * x
                    line = line " " (at + 1) ":" x
                }
                y = uniform() < 1 / (1 + exp(-score)) ? 1 : -1
                right += (score > 0) == (y > 0)
                print y line > file
            }
            print right / rows
        }'
}

@test "sparse data made with planted weights: under every policy, as good as they are within a point and a half" {
    plant 20000 12345 "$BATS_TEST_TMPDIR/train.svm"
    planted=$(plant 5000 777 "$BATS_TEST_TMPDIR/test.svm")
    shard8 "$BATS_TEST_TMPDIR/train.svm"
    for policy in $(fixed_policies); do
        train8 "$policy" 6000 0.5 -m logistic -b 50
        assert_near "$(accuracy "$BATS_TEST_TMPDIR/test.svm")" "$planted" 0.015 "$policy"
    done
}
