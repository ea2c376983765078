# The demonstration, and what README shows, shortened.
# bats file_tags=slow,plain

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

# The indented lines of README from one sentence to the next.
readme() {
    awk -v from="$1" -v to="$2" 'index($0, to) { exit } on && /^    / { print substr($0, 5) } index($0, from) { on = 1 }' \
        "$top_srcdir/README"
}

@test "the first pipeline of README runs as it stands" {
    cd "$BATS_TEST_TMPDIR"
    ln -s "$top_srcdir/share" share
    readme 'A first pipeline' 'The first line' | sed 's/-T 5s -S 500ms/-T 1s -S 100ms/' > pipeline
    run -0 grep -c dsgd- pipeline
    run -0 --separate-stderr bash -e pipeline
    assert_line --index 0 --regexp $'^iteration\ttime\tloss\terror'
    assert_line --index 1 --regexp '^0'$'\t'
    assert_line --regexp '^all'$'\t'
    assert_exists model
}

@test "the workers of README join by a socket" {
    cd "$BATS_TEST_TMPDIR"
    dsgd-shard -q -n 2 --no-header --label-column 65 "$top_srcdir/share/data/digits-train.csv.gz"
    { readme 'Those of this machine' 'Every program has' | sed 's/-T 5s/-T 500ms/'; echo wait; } > both
    run -0 bash -e both 3>&-
    assert_exists model
}
