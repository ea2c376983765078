#!/usr/bin/env bats
# dsgd-shard --memory: rows that are more than memory may hold, through temporary files.
# bats file_tags=slow,plain

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    mkdir temporary
    export TMPDIR=$PWD/temporary
}

teardown() {
    [ -z "${shard-}" ] || kill -KILL "$shard" 2> /dev/null || true
    leave_nothing
}

# ROWS sparse rows of seven classes and of very different lengths.
sparse() {
    awk -v rows="$1" 'BEGIN {
        for (i = 0; i < rows; i++) {
            printf "%d", i * i % 7
            for (j = 1; j <= i % 40; j += 1 + i % 3)
                printf " %d:%g", j, i / j
            print ""
        }
    }'
}

# Lines of 20 short numbers: 80 bytes of text that are 160 in memory.
long_rows() {
    awk -v rows="$1" 'BEGIN {
        for (j = 1; j <= 20; j++)
            row = row " " j ":1"
        for (i = 0; i < rows; i++)
            print i % 2 row
    }'
}

# The same files whatever is in memory. What is allowed is so little that piles are divided several times over.
#   same_bytes [OPTION]... FILE...
same_bytes() {
    local held=()
    [[ " $* " != *' --hold-out '* ]] || held=(held)
    dsgd-shard -q -n 3 -o 'all-%d' "$@"
    [ ${#held[@]} = 0 ] || mv held all-held
    dsgd-shard -q -n 3 -o 'few-%d' --memory 64Ki "$@"
    [ ${#held[@]} = 0 ] || cmp held all-held
    dsgd-shard -q -n 3 -o - --memory 64Ki "$@" > stream
    cat few-0 few-1 few-2 | cmp stream || fail "$*"
    for i in 0 1 2; do
        cmp all-$i few-$i || fail "$*"
    done
    assert_equal "$(ls -A temporary)" ''
}

@test "shards are the same bytes whatever --memory is, in every order, held out or not" {
    sparse 3000 > a.svm
    sparse 100 > b.svm
    for order in shuffle sequential label dirichlet:0.3; do
        same_bytes --split $order a.svm b.svm
        same_bytes --split $order --hold-out 0.2 --hold-out-file held a.svm
    done
}

@test "they are with features that are scaled, classes that are balanced and rows that are widened" {
    sparse 3000 > a.svm
    awk 'BEGIN {
        print "a,b,y,c"
        for (i = 0; i < 3000; i++)
            printf "%g,%d,%s,%d\n", i / 7, -i, i % 3 ? "no" : "yes", i * i % 11
    }' > a.csv
    same_bytes --scale maxabs --hold-out 0.2 --hold-out-file held a.svm
    same_bytes --scale unit --balance --features 99 a.svm
    for scale in minmax standard; do
        same_bytes --scale $scale --label-column y a.csv
    done
    same_bytes --balance --features 9 --label-column y a.csv
    dsgd-shard -q -o like --scale standard --label-column y --hold-out 0.9 --hold-out-file held a.csv
    same_bytes --like like --label-column y a.csv
}

@test "they are with targets, names that come late, images, and shards among the inputs" {
    awk 'BEGIN { for (i = 0; i < 70000; i++) print i / 8 " 1:" i }' > targets.svm
    same_bytes targets.svm
    { sparse 1000; sparse 1000 | sed 's/^3/three/'; } > names.svm
    same_bytes names.svm
    dsgd-shard -q -n 2 -o 'part-%d' names.svm
    same_bytes part-1 part-0
    sparse 500 | sed 's/^5/five/' > more.svm
    same_bytes part-1 more.svm part-0
    { printf '\0\0\10\3\0\0\6\0\0\0\0\4\0\0\0\4'; head -c 24576 names.svm; } > images
    { printf '\0\0\10\1\0\0\6\0'; head -c 1536 /dev/zero | tr '\0' '\7'; } > labels
    same_bytes --labels labels images
    same_bytes --labels labels --scale minmax images
}

@test "they are with categories, missing values and what they are to be like" {
    awk 'BEGIN {
        print "colour,size,y"
        for (i = 0; i < 3000; i++)
            printf "%s,%s,%d\n", substr("redblugrn", 1 + i % 3 * 3, 3), i % 7 ? i : "", i % 5
    }' > a.csv
    for options in '--missing mean --scale standard' '--missing zero' '--missing drop' '--hash-bits 5 --missing mean'; do
        # shellcheck disable=SC2086 # several options
        same_bytes $options --label-column y --categories colour a.csv
    done
    dsgd-shard -q -o like --missing mean --label-column y --categories colour a.csv
    same_bytes --like like a.csv
    dsgd-shard -q -o a --like like --split sequential a.csv
    dsgd-shard -q -o b --missing mean --label-column y --categories colour --split sequential a.csv
    cmp a b
}

@test "a row keeps its weight on the way through files" {
    sparse 3000 > a.svm
    dsgd-shard -q -n 2 -o 'part-%d' --balance a.svm
    same_bytes part-0 part-1
    sparse 1000 | sed 's/^/1/' > b.svm
    same_bytes part-0 b.svm
}

@test "what fits into memory touches no disk, what does not says where it would go" {
    sparse 3000 > a.svm
    TMPDIR=$PWD/none
    dsgd-shard -q -n 3 a.svm
    run --separate-stderr -4 dsgd-shard -q -o 'few-%d' --memory 64Ki a.svm
    assert_equal "$stderr" "dsgd-shard: temporary file in $TMPDIR (\$TMPDIR chooses the folder): No such file or directory"
    assert_equal "$(echo few-*)" 'few-*'
}

@test "a temporary file that cannot grow ends everything with one line, and nothing is left" {
    sparse 6000 > a.svm
    mkdir out
    run --separate-stderr -4 bash -c 'ulimit -f 100; dsgd-shard -q -n 3 -o "out/%d" --memory 64Ki a.svm'
    assert_equal "$stderr" "dsgd-shard: temporary file in $TMPDIR (\$TMPDIR chooses the folder): File too large"
    assert_equal "$(ls -A out temporary)" $'out:\n\ntemporary:'
}

has_temporary() {
    [[ $(readlink "/proc/$shard"/fd/*) == *"$TMPDIR"* ]]
}

@test "nothing is left of temporary files, not even after a kill" {
    [ -d /proc/self/fd ] || skip "no /proc"
    long_rows 30000 > a.svm
    mkfifo pipe
    dsgd-shard -q -n 3 --memory 64Ki pipe 3>&- &
    shard=$!
    exec 4> pipe
    cat a.svm >&4
    eventually has_temporary
    assert_equal "$(ls -A temporary)" ''
    kill -KILL "$shard"
    wait "$shard" || true
    exec 4>&-
    shard=
    assert_equal "$(ls -A temporary; ls -A)" $'a.svm\npipe\ntemporary'
}

@test "thirty megabytes of rows go through eight" {
    (ulimit -d 30000 && dsgd-shard --version) > /dev/null 2>&1 || skip "no limit of memory can be set"
    long_rows 180000 > a.svm
    run -4 bash -c 'ulimit -d 30000; dsgd-shard -q -n 2 -o "all-%d" a.svm'
    assert_output 'dsgd-shard: out of memory'
    run -0 bash -c 'ulimit -d 30000; dsgd-shard -n 2 --memory 8Mi - < a.svm'
    assert_output 'dsgd-shard: 180000 rows, 20 features, 2 classes, 3600000 stored values'
    run -0 bash -c 'ulimit -d 30000; dsgd-shard -n 1 -o one --memory 8Mi shard-0 shard-1'
    assert_output 'dsgd-shard: 180000 rows, 20 features, 2 classes, 3600000 stored values'
}

@test "workers and dsgd-eval map a shard: it may be larger than the memory that they have, a raw file may not" {
    awk 'BEGIN {
        for (i = 0; i < 150000; i++) {
            printf "%d", i % 2
            for (j = 1; j <= 30; j++)
                printf " %d:1", j * 7 % 1000 + j * 1000 * (i % 3)
            print ""
        }
    }' > rows.svm
    dsgd-shard -q -o shard rows.svm
    [ "$(wc -c < shard)" -gt 35000000 ] || fail 'the shard is no larger than the limit'
    limit='ulimit -d 25000'
    bash -c "$limit; dsgd-worker --version" > /dev/null 2>&1 || skip 'no limit of memory can be set'
    dsgd-ps -q -m logistic -P 1 -J 3 -o model -x "$limit; exec dsgd-worker shard"
    run -0 bash -c "$limit; dsgd-eval -m model shard"
    run bash -c "$limit; dsgd-eval -m model rows.svm"
    [ "$status" -ne 0 ] || skip 'no limit on the data of a process here'
    assert_output --partial 'out of memory'
}
