# The demonstration, shortened.

setup() {
    load lib/common.bash
}

teardown() {
    leave_nothing
}

@test "the demonstration compares six policies and leaves nothing behind" {
    TMPDIR=$BATS_TEST_TMPDIR run -0 "$top_srcdir/share/demo/demo" 0.5
    assert_output --regexp 'policy +updates'
    for policy in sync k-sync:4 k-batch-sync:4 async k-async:4 k-batch-async:4; do
        assert_line --regexp "^$policy +[1-9][0-9]* +[0-9.]+ +[0-9.]+ +[-0-9.]+ +0\\.[0-9]+\$"
    done
    run -0 ls "$BATS_TEST_TMPDIR"
    assert_output ''
}
