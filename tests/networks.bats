# Networks: trained, recorded, executed again, read by others, and what they refuse.

# The digits as shards of 64 features, for all tests.
setup_file() {
    load lib/common.bash
    cd "$BATS_FILE_TMPDIR" || return
    dsgd-shard -q -n 2 --no-header --label-column 65 "$top_srcdir/share/data/digits-train.csv.gz"
    dsgd-shard -q -o test --no-header --label-column 65 "$top_srcdir/share/data/digits-test.csv.gz"
}

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    ln -s "$BATS_FILE_TMPDIR"/{shard-0,shard-1,test} .
}

teardown() {
    leave_nothing
}

specs='mlp:32,16'

simulate() {
    dsgd-sim -q -d const:1s -e 0.01 -J 100 -o model "$@" shard-0 shard-1
}

@test "loss and errors of a network are what an independent program computes" {
    for spec in $specs; do
        simulate -m "$spec"
        dsgd-eval -m model test | awk 'NR == 2 { print $3, $4 }' > ours
        python3 "$top_srcdir/tests/lib/network.py" model test > theirs
        paste -d ' ' ours theirs | awk '{
            print
            exit !($1 > 0.01 && $1 < 1.2 && ($1 - $3) ^ 2 < 1e-10 && $2 == $4 && $2 < 0.4)
        }' || fail "$spec"
    done
}

@test "server and workers make of a network what the simulator makes, bit by bit" {
    for spec in $specs; do
        simulate -m "$spec" --l2 0.01
        dsgd-ps -q -P 2 -m "$spec" --l2 0.01 -e 0.01 -J 100 -o other -x 'dsgd-worker -q shard-%r'
        cmp <(tail -c 4000 model) <(tail -c 4000 other)
    done
}

@test "an asynchronous run of a network is executed again to the same bits" {
    for spec in $specs; do
        dsgd-ps -q -P 2 -p async -m "$spec" -e 0.01 -s 7 -J 100 -o model -t trace -x 'dsgd-worker -q -d exp:mean=1ms shard-%r'
        dsgd-sim -q --replay trace -o again shard-0 shard-1
        cmp model again
    done
}

@test "a network's labels are predicted one a line, those that its errors are counted by" {
    for spec in $specs; do
        simulate -m "$spec"
        dsgd-eval -m model --predict test > labels
        error=$(dsgd-eval -m model test | awk 'NR == 2 { print $4 }')
        "$top_srcdir/tests/lib/rows.py" test | cut -d ' ' -f 1 | paste -d ' ' - labels |
            awk -v error="$error" '{ wrong += $1 != $2 } END { exit !(NR == 360 && wrong / NR == error) }'
    done
}

@test "the tensors of a network have the names and shapes of frameworks" {
    simulate -m mlp:32,16
    run -0 sh -c "head -c 3000 model | grep -aoE '\"[0-9]+\.[a-z]+\":\{\"dtype\":\"F32\",\"shape\":\[[0-9,]+\]'"
    assert_output - <<'X'
"0.weight":{"dtype":"F32","shape":[32,64]
"0.bias":{"dtype":"F32","shape":[32]
"2.weight":{"dtype":"F32","shape":[16,32]
"2.bias":{"dtype":"F32","shape":[16]
"4.weight":{"dtype":"F32","shape":[10,16]
"4.bias":{"dtype":"F32","shape":[10]
X
}

@test "a network starts at random weights of the seed, and not at 0" {
    for spec in $specs; do
        for seed in 1 1 2; do
            dsgd-sim -q -m "$spec" -s $seed -d const:1s -e 1e-30 -J 1 -o start-$seed shard-0
            tail -c 4000 start-$seed | cksum >> sums
        done
        dsgd-sim -q -m "$spec" --init zero -d const:1s -e 1e-30 -J 1 -o zero shard-0
        tail -c 4000 zero | cksum >> sums
    done
    run -0 sh -c 'sort sums | uniq -c | sort -k 1n | cut -c -8'
    assert_output - <<'X'
      1 
      1 
      2 
X
}

# Fails with this status and exactly this message.
refuses() {
    local status=$1 text=$2
    shift 2
    run "-$status" --separate-stderr dsgd-sim -q -d const:1s -J 1 -o none "$@" shard-0
    assert_equal "$stderr" "dsgd-sim: $text"
    assert_not_exists none
}

@test "SPECs of networks that cannot be are refused by what is wrong" {
    refuses 2 "--model 'mlp': mlp needs hidden (outputs of a hidden layer; again for one more) (see dsgd-sim --help)" -m mlp
    refuses 2 "--model 'mlp:0': hidden '0': numbers from 1 to 1048576 (see dsgd-sim --help)" -m mlp:0
    refuses 2 "--model 'mlp:8x8': hidden '8x8': write a number (see dsgd-sim --help)" -m mlp:8x8
    refuses 2 "--model 'mlp:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1': hidden '1': more than 15 layers (see dsgd-sim --help)" \
        -m mlp:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
}

@test "constants of a network are taken from its own start, without curvature" {
    simulate -m mlp:32,16
    run -0 --separate-stderr dsgd-eval -m model --constants --l2 0.01 test
    assert_equal "$stderr" 'dsgd-eval: L: NA: the loss of mlp has kinks; F* is the least value that was found'
    awk -F '\t' 'NR == 2 { exit !($1 == "NA" && $2 == "NA" && $3 > 0 && $4 > 0.5) }' <<< "$output" || fail "$output"
    run -0 dsgd-eval -q -m model --constants test
    dsgd-sim -q -m mlp:32,16 -d const:1s -e 1e-30 -J 1 -o start shard-0
    paste <(awk '{ print $8 }' <<< "$output") <(dsgd-eval -m start test | cut -f 3) |
        awk 'NR == 2 { print; exit !(($1 - $2) ^ 2 < 1e-8) }'
}
