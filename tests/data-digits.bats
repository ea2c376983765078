# Softmax on the digits that come along, beside scikit-learn.
# bats file_tags=data

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
    REFERENCE=$(reference digits "$top_srcdir/share/data")
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
    for policy in $(every_policy); do
        train8 "$policy" -m softmax --l2 0.000696 -e 0.5 -b 45 -E 100
        assert_near "$(accuracy --no-header --label-column 65 "$BATS_FILE_TMPDIR/test.csv")" \
            "$REFERENCE" 0.01 "$policy"
    done
}
