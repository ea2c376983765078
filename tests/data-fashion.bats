# Softmax on all of Fashion-MNIST, beside scikit-learn.
# bats file_tags=data

folder=/usr/share/datasets/fashion-mnist
lambda=0.003

setup_file() {
    load lib/common.bash
    load lib/training.bash
    [ -d "$folder" ] || return 0
    dsgd-shard -q -n 8 -o "$BATS_FILE_TMPDIR/shard-%d" "$folder/train-images-idx3-ubyte.gz" \
        --labels "$folder/train-labels-idx1-ubyte.gz"
    REFERENCE=$(reference fashion "$folder" $lambda)
    export REFERENCE
}

setup() {
    load lib/common.bash
    load lib/training.bash
    [ -d "$folder" ] || skip 'data: Fashion-MNIST is absent (Debian package dataset-fashion-mnist)'
    [ -n "$REFERENCE" ] || skip 'data: scikit-learn is absent (Debian package python3-sklearn)'
}

teardown() {
    leave_nothing
}

@test "under every policy, clothes are told apart as well as by scikit-learn, within a point" {
    for policy in $(fixed_policies); do
        train8 "$policy" 8000 0.04 -m softmax --l2 $lambda -b 64
        assert_near "$(accuracy "$folder/t10k-images-idx3-ubyte.gz" \
            --labels "$folder/t10k-labels-idx1-ubyte.gz")" "$REFERENCE" 0.01 "$policy"
    done
}
