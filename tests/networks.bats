# Networks: trained, recorded, executed again, read by others, and what they refuse.
# bats file_tags=slow,plain

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

specs='mlp:32,16 cnn:conv=4x3,pool=2,conv=9x2,dense=12,input=8x8x1'

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
            exit !($1 > 0.01 && $1 < 2.2 && ($1 - $3) ^ 2 < 1e-10 && $2 == $4 && $2 < 0.8)
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
    simulate -m cnn:conv=4x3,pool=2,conv=9x2,dense=12,input=8x8x1
    run -0 sh -c "head -c 4000 model | grep -aoE '\"[0-9]+\.weight\":\{\"dtype\":\"F32\",\"shape\":\[[0-9,]+\]'"
    assert_output - <<'X'
"0.weight":{"dtype":"F32","shape":[4,1,3,3]
"3.weight":{"dtype":"F32","shape":[9,4,2,2]
"6.weight":{"dtype":"F32","shape":[12,144]
"8.weight":{"dtype":"F32","shape":[10,12]
X
}

@test "a network starts at random weights of the seed, and not at 0" {
    for spec in $specs; do
        for start in '-s 1' '-s 1 --init model' '-s 2' '--init zero'; do
            dsgd-sim -q -m "$spec" $start -d const:1s -e 1e-30 -J 1 -o start shard-0
            tail -c 2000 start | cksum
        done > sums
        assert_equal "$(sort sums | uniq -c | awk '{ print $1 }' | sort | xargs)" '1 1 2'
    done
}

# Fails with this status and exactly this message.
refuses() {
    local status=$1 text=$2
    shift 2
    run "-$status" --separate-stderr dsgd-sim -q -d const:1s -J 1 -o none "$@" shard-0
    assert_equal "${stderr//$'\n'/ }" "dsgd-sim: $text"
    assert_not_exists none
}

@test "SPECs of networks that cannot be are refused by what is wrong" {
    refuses 2 "--model 'mlp': mlp needs hidden (outputs of a hidden layer; again for one more) (see dsgd-sim --help)" -m mlp
    refuses 2 "--model 'mlp:0': hidden '0': numbers from 1 to 1048576 (see dsgd-sim --help)" -m mlp:0
    refuses 2 "--model 'mlp:8x8': hidden '8x8': write a number (see dsgd-sim --help)" -m mlp:8x8
    refuses 2 "--model 'mlp:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1': hidden '1': more than 15 layers (see dsgd-sim --help)" \
        -m mlp:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
    refuses 2 "--model 'cnn:pool=2': cnn needs conv (CHANNELSxSIDE of a convolution; again for one more) (see dsgd-sim --help)" \
        -m cnn:pool=2
    refuses 2 "--model 'cnn:conv=16': conv '16': write 16x5 (see dsgd-sim --help)" -m cnn:conv=16
    refuses 2 "--model 'cnn:conv=4x256': conv '4x256': numbers from 1 to 255 (see dsgd-sim --help)" -m cnn:conv=4x256
    refuses 2 "--model 'cnn:conv=4x3,dense=9,pool=2': pool '2': behind a dense layer there is no image any more (see dsgd-sim --help)" \
        -m cnn:conv=4x3,dense=9,pool=2
    refuses 2 "--model 'cnn:conv=4x3,input=28x28': input '28x28': write 28x28x1 (see dsgd-sim --help)" \
        -m cnn:conv=4x3,input=28x28
}

@test "images of another shape than the data's, or of none, are refused" {
    refuses 3 'model cnn: the data do not say what shape their images have: give it as input=HEIGHTxWIDTHxCHANNELS' \
        -m cnn:conv=4x3
    refuses 3 'model cnn: images of 8x9x1 are 72 features, the data have 64' -m cnn:conv=4x3,input=8x9x1
    refuses 3 'model cnn: layer 3: nothing is left of 4x4 by a pool of 5' -m cnn:conv=4x3,pool=2,pool=5,input=8x8x1
}

# Two images of 3 rows and 2 columns as IDX, and their labels.
images() {
    printf '\0\0\010\003\0\0\0\002\0\0\0\003\0\0\0\002\1\2\3\4\5\6\6\5\4\3\2\1' > images
    printf '\0\0\010\001\0\0\0\002\0\1' > labels
    dsgd-shard -q -o images.shard images --labels labels
}

@test "the shape of images goes with the data to server and workers, and into the model" {
    images
    "$top_srcdir/tests/lib/rows.py" --meta data images.shard | grep -qF '"shape":[3,2,1]'
    dsgd-sim -q -m cnn:conv=4x3,pool=2 -d const:1s -J 3 -o model images.shard
    dsgd-ps -q -P 1 -m cnn:conv=4x3,pool=2 -J 3 -o other -x 'dsgd-worker -q images.shard'
    cmp <(tail -c 200 model) <(tail -c 200 other)
    run -0 --separate-stderr dsgd-eval -m model images --labels labels
    assert_equal "$(dsgd-eval -m model images.shard)" "$output"
    ln -sf images.shard shard-0
    refuses 3 'model cnn: images of 2x2x1 are 4 features, the data have 6' -m cnn:conv=4x3,input=2x2x1
}

@test "workers whose images have different shapes are not let into one run" {
    images
    printf '\0\0\010\003\0\0\0\002\0\0\0\002\0\0\0\003\1\2\3\4\5\6\6\5\4\3\2\1' > images
    dsgd-shard -q -o turned images --labels labels
    run -3 --separate-stderr dsgd-sim -q -m cnn:conv=4x3 -d const:1s -J 3 -o none images.shard turned
    assert_equal "$stderr" 'dsgd-sim: turned: its data have shape [2, 3, 1], those of images.shard have [3, 2, 1]'
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
