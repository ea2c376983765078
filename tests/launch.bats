#!/usr/bin/env bats
# share/launch: the grid of runs by make, and what of the other launchers can be told without a cluster.
# bats file_tags=slow,plain

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    unset MAKEFLAGS MAKELEVEL
    launch=$top_srcdir/share/launch
}

teardown() {
    leave_nothing
}

grid() {
    make -f "$launch/grid.mk" SHARDS='shard-0 shard-1' TEST=test POLICIES='sync k-async' KS='1 2' SEEDS='1 2' \
        RUN='-m softmax -e 0.01 -J 6 -S 3' "$@"
}

digits() {
    dsgd-shard -q -n 2 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
    dsgd-shard -q -o test "$top_srcdir/share/data/digits-test.csv.gz" --no-header --label-column 65 --like shard-0
}

@test "a grid is a run for each policy, K and seed, each made once, again when it was cut off, the same side by side" {
    digits
    grid -j2 runs > said
    assert_equal "$(ls grid | tr '\n' ' ')" \
        'k-async.1.1.tsv k-async.1.2.tsv k-async.2.1.tsv k-async.2.2.tsv sync.-.1.tsv sync.-.2.tsv '
    for run in grid/*.tsv; do
        assert_equal "$(wc -l < "$run")" 4
    done
    cp grid/sync.-.2.tsv before
    run -0 grid runs
    refute_output --partial seed
    rm grid/sync.-.2.tsv
    echo half > grid/sync.-.2.tsv.part
    run -0 grid runs
    assert_output 'sync, seed 2'
    cmp before grid/sync.-.2.tsv
    [ ! -e grid/sync.-.2.tsv.part ]
    run -0 grid REAL=1 OUT=real POLICIES=sync runs
    assert_output $'sync, seed 1\nsync, seed 2'
    run -2 grid SHARDS= runs
    assert_output --partial 'SHARDS: which shards?'
}

@test "a run that fails leaves no curve, and the figure has the means over the seeds" {
    command -v gnuplot > /dev/null || skip 'no gnuplot'
    digits
    run -2 grid POLICIES=sync DELAY=never runs
    run ! ls grid/*.tsv
    run -0 grid
    grep -q '<svg' grid/figure.svg
    for line in 'k-async.1' 'k-async.2' sync; do
        grep -q ">.*$line" grid/figure.svg || fail "no $line"
    done
    paste grid/k-async.2.1.tsv grid/k-async.2.2.tsv grid/mean/k-async.2.tsv | awk -F '\t' 'NR > 1 {
        if ($1 != $9) exit 1
        for (i = 2; i < 5; i++) { m = ($i + $(i + 4)) / 2 - $(i + 8); if (m * m > 1e-12) exit 1 } }'
}

@test "a task is the server or a worker by its rank, and goes on when it is started again" {
    digits
    mkdir -m 0700 run
    cd run || return
    dsgd-ps --make-key key
    tasks() {
        local tasks
        SLURM_NTASKS=3 SLURM_PROCID=0 DSGD_HOST=localhost "$launch/task" '../shard-%r' -- -m softmax -e 0.01 "$@" 2> said 3>&- &
        tasks=($!)
        for rank in 1 2; do
            OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=$rank DSGD_WORKER='-d const:1ms' "$launch/task" '../shard-%r' -- -m softmax 3>&- &
            tasks+=($!)
        done
        wait "${tasks[@]}"
    }
    tasks -J 5
    [ -s model ]
    tasks -J 9
    grep -q 'goes on after update 5' said
    run -0 dsgd-sim --replay run.trace -o again ../shard-0 ../shard-1
    cmp model again
    run -2 env -u SLURM_PROCID "$launch/task" x
    assert_output --partial 'srun or mpirun'
}

@test "the scripts are sound" {
    command -v shellcheck > /dev/null || skip 'no shellcheck'
    shellcheck -x "$launch/task" "$launch/slurm-srun" "$launch/slurm.sbatch" "$launch/mpi" "$launch/ssh-parallel"
}

@test "the manifest of Kubernetes is of one piece: names, claims, key, ranks" {
    /usr/bin/python3 -c 'import yaml' 2> /dev/null || skip 'no python3-yaml'
    /usr/bin/python3 "$top_srcdir/tests/lib/manifest.py" "$launch/kubernetes.yaml" > commands
    while IFS= read -r command; do
        eval "words=($command)"
        "${words[@]}" --unknown 2> said || true
        grep -q "unknown option '--unknown'" said || fail "$command: $(cat said)"
    done < commands
    assert_equal "$(wc -l < commands)" 2
}
