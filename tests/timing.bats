#!/usr/bin/env bats
# Injected delays are the run's clock: a run takes what its own draws say, and work that is void stops.
# bats file_tags=timing

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    zcat "$top_srcdir/share/data/digits-train.csv.gz" |
        dsgd-shard -q -n 8 -f csv --no-header --label-column 65 -o 'shard-%d' -
}

teardown() {
    leave_nothing
}

# Median over five seeds of measured / ideal seconds an update.
#   ratio POLICY UPDATES
ratio() {
    local seed
    for seed in 1 2 3 4 5; do
        dsgd-ps -q -P 8 -p "$1" -m softmax -e 0.005 -s $seed -J "$2" -t run.trace -o model \
            -x 'dsgd-worker -d exp:mean=20ms shard-%r'
        awk -v ideal="$("$top_builddir/tests/ideal" "$1" 8 exp:mean=20ms $seed "$2")" -v updates="$2" \
            '$2 == "update" { last = $1 } END { print last / updates / ideal }' run.trace
    done | sort -n | sed -n 3p
}

@test "seconds an update are those of the run's own draws, under every policy" {
    local policy updates failed=0 r
    while read -r policy updates; do
        r=$(ratio "$policy" "$updates")
        echo "$policy: measured / ideal $r"
        awk -v r="$r" 'BEGIN { exit !(r >= 0.98 && r <= 1.10) }' || failed=1
    done <<'X'
sync 25
k-sync:4 80
k-batch-sync:4 100
async 400
k-async:4 80
k-batch-async:4 100
X
    [ $failed -eq 0 ]
}

@test "cancelling is real: a worker of 10 s a minibatch does not slow k-sync:1, and is accounted for" {
    local start=$SECONDS
    dsgd-ps -q -p k-sync:1 -m softmax -e 0.005 -J 200 -t run.trace -o model -x 'dsgd-worker shard-0' \
        -x 'dsgd-worker -d const:10s shard-1'
    ((SECONDS - start < 5))
    run -0 dsgd-trace summary run.trace
    # worker started used cancelled late dropped unfinished
    assert_line --regexp $'^0\t200\t200\t0\t0\t0\t0\t'
    assert_line --regexp $'^1\t200\t0\t200\t0\t0\t0\t'
}
