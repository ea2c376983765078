# What tests of runs that go on share: a run of three workers, that the server or nobody starts.

setup_file() {
    load lib/common.bash
    cd "$BATS_FILE_TMPDIR" || return
    dsgd-shard -q -n 3 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
}

setup() {
    load lib/common.bash
    load lib/training.bash
    cd "$BATS_TEST_TMPDIR" || return
    cp "$BATS_FILE_TMPDIR"/shard-* .
}

teardown() {
    leave_nothing
}

# A run of three workers that the server starts.
#   train OPTION...
train() {
    dsgd-ps -q -m softmax -e inverse:0.003,decay=0.01 -P 3 -x 'exec dsgd-worker -q shard-%r' "$@"
}

# Fails unless both have the same parameters: all that is in a model but the time.
same_model() {
    cmp <(tail -c 2600 "$1") <(tail -c 2600 "$2")
}

updates() {
    awk -F '\t' '$2 == "update" { print $6, $11, $12 }' "$1"
}

# The trace is that of one run from its start, and gives the model again.
#   one_run MODEL
one_run() {
    identities
    dsgd-trace summary run.trace > /dev/null
    dsgd-sim -q --replay run.trace -o again -t again.trace shard-*
    cmp "$1" again
    cmp run.trace again.trace
}

iteration_of() {
    dsgd-eval -m "$1" shard-0 | awk 'NR == 2 { print $1 }'
}

# Workers that nobody but they themselves starts again.
workers() {
    local r
    for r in 0 1 2; do
        background "w$r" dsgd-worker -q -c "unix:$PWD/sock" -r $r -d "${delay-exp:mean=1ms}" shard-$r
    done
}

# Their server, in the background; appends to ps.err.
#   server OPTION...
server() {
    dsgd-ps -m softmax -e 0.003 -P 3 -l "unix:$PWD/sock" -C ck -t run.trace -o model "$@" < /dev/null 2>> ps.err 3>&- &
    server=$!
    echo "$server" >> .background
}

# Ends as a process that was killed does.
killed() {
    kill -9 "$server"
    wait "$server" || [ $? -eq 137 ]
}
