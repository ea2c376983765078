# Softmax on the digits that come along, beside scikit-learn.
# bats file_tags=data

lambda=7e-4

setup_file() {
    load lib/common.bash
    load lib/training.bash
    local part
    for part in train test; do
        gzip -dc "$top_srcdir/share/data/digits-$part.csv.gz" |
            awk -F , '{ for (i = 1; i <= 64; i++) printf "%g,", $i / 16; print $65 }' \
                > "$BATS_FILE_TMPDIR/$part.csv"
    done
    dsgd-shard -q -n 8 -o "$BATS_FILE_TMPDIR/shard-%d" --no-header --label-column 65 \
        "$BATS_FILE_TMPDIR/train.csv"
    REFERENCE=$(reference digits "$top_srcdir/share/data" $lambda)
    export REFERENCE
}

setup() {
    load lib/common.bash
    load lib/training.bash
    [ -n "$REFERENCE" ] || skip 'data: scikit-learn is absent (Debian package python3-sklearn)'
}

teardown() {
    leave_nothing
}

@test "under every policy, digits are told apart as well as by scikit-learn, within a point" {
    for policy in $(fixed_policies); do
        train8 "$policy" 6000 0.2 -m softmax --l2 $lambda -b 90
        assert_near "$(accuracy --no-header --label-column 65 "$BATS_FILE_TMPDIR/test.csv")" \
            "$REFERENCE" 0.01 "$policy"
    done
}
