#!/usr/bin/env bats
# Every table as JSON Lines: the columns of the TSV, behind a schema that the manual names.

load lib/common

setup() {
    command -v jq > /dev/null || skip "no jq"
    cd "$BATS_TEST_TMPDIR"
    printf '1 1:2\n-1 1:1\n1 1:3\n-1 2:1\n' > rows.svm
    dsgd-shard -q -o shard rows.svm
    dsgd-sim -q -m logistic -P 1 -d const:1s -b 1 -J 8 -o model -t run.trace shard
}

teardown() {
    leave_nothing
}

# A program's table, as TSV and as JSON: the same columns in the same order, and rows, with the schema in each.
#   table SCHEMA PROGRAM [ARG]...
table() {
    local schema=$1
    shift
    "$@" > tsv 2> err || fail "$(cat err)"
    "$@" --json > lines 2> err || fail "$(cat err)"
    jq -es --arg schema "$schema" 'length > 0 and all(.[]; keys_unsorted[0] == "schema" and .schema == $schema)' lines
    diff <(head -n 1 tsv) <(head -n 1 lines | jq -r 'del(.schema) | keys_unsorted | @tsv')
    assert_equal "$(($(wc -l < tsv) - 1))" "$(wc -l < lines)"
    grep -q "^\.It $schema Ta " "$top_srcdir/man/dsgd.7" || fail "dsgd(7) has no $schema"
}

@test "every program that prints a table prints it as JSON, under a schema that dsgd(7) names" {
    table dsgd-shard-info/1 dsgd-shard --info shard
    table dsgd-eval/1 dsgd-eval -m model shard
    table dsgd-eval/1 dsgd-eval -m model --scores=auc shard
    table dsgd-eval-confusion/1 dsgd-eval -m model --confusion shard
    table dsgd-eval-constants/1 dsgd-eval -m model --constants shard
    table dsgd-eval-proba/1 dsgd-eval -m model --proba shard
    table dsgd-plan/1 dsgd-plan -P 2 -d exp:1s -p sync -p k-sync
    table dsgd-plan-statement/1 dsgd-plan -P 2 -d exp:1s -p sync --statement
    table dsgd-plan-curve/1 dsgd-plan -P 2 -d exp:1s -p sync -p k-sync --curve --L 1 --c 0.1 --sigma2 1 --gap 50 -e 0.05
    for verb in delays fit staleness summary; do
        table "dsgd-trace-$verb/1" dsgd-trace "$verb" run.trace
    done
    table dsgd-trace-fit/1 dsgd-trace fit --by worker run.trace
    table dsgd-trace-sample/1 dsgd-trace sample exp:1s -n 2
    run -0 dsgd-eval -m model --predict --json shard
    assert_line --index 0 '{"schema":"dsgd-eval-predict/1","label":"1"}'
}

@test "the schemas of dsgd(7) are those that the sources print" {
    diff <(grep -rhoE '"dsgd-[a-z-]+/[0-9]+"' "$top_srcdir/lib/run" | tr -d '"' | sort -u) \
        <(sed -n 's/^\.It \(dsgd-[a-z-]*\/[0-9]*\) Ta .*/\1/p' "$top_srcdir/man/dsgd.7" | sort)
}

@test "--json of dsgd-shard is for --info" {
    run -2 --separate-stderr dsgd-shard --json rows.svm
    assert_equal "$stderr" 'dsgd-shard: --json goes with --info (see dsgd-shard --help)'
}
