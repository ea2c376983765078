#!/usr/bin/env bats
# Outputs of dsgd-ps: each its own, and the address where those who need it find it, for as long as it is good.

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Status 2 with both options named, and nothing that was there is changed.
#   collide ONE OTHER OPTION...
collide() {
    local one=$1 other=$2
    shift 2
    run -2 dsgd-ps -m logistic -J 1 -x 'touch started' "$@"
    [[ $output == "dsgd-ps: "*"$one"*" and "*"$other"*" are the same"* ]] || fail "$output"
    [ ! -e started ]
}

@test "two outputs that are one file are refused, by whatever names" {
    collide "(-o)" "(-t)" -o same -t same
    collide "(-o)" "(-t)" -o same -t ./same
    collide "(-t)" "--address-file" -o model -t same --address-file "$PWD/same" -l "unix:$PWD/sock"
    collide "(-o)" "(-t)" -o - -t -
    collide "(-t)" "(there is no -o)" -t -
    collide "(-o)" "(-S)" -o - -S 1
    collide "(-t)" "(-S)" -t - -S 1 -o model
    [ -z "$(ls)" ]
    echo old > one
    ln one other
    ln -s one link
    collide "(-o)" "(-t)" -o one -t other
    collide "(-o)" "(-t)" -o link -t one
    run -2 bash -c "dsgd-ps -m logistic -J 1 -x true -o one -S 1 >> one"
    run -0 cat one
    assert_line "old"
}

@test "devices may be shared, and names that only look alike are two" {
    dsgd-shard -q "$(data 16-uneven-shards-end/a.svm)"
    mkdir sub
    dsgd-ps -q -m logistic -J 1 -x 'dsgd-worker -q shard-0' -o /dev/null -t /dev/null
    dsgd-ps -q -m logistic -J 1 -x 'dsgd-worker -q shard-0' -o x -t sub/x
}

@test "the address is a notice where no file and no descriptor takes it" {
    local ps
    dsgd-ps -m logistic -P 1 -J 1 -o model -l tcp:127.0.0.1:0 -l "unix:$PWD/sock" 2> err 3>&- &
    ps=$!
    eventually grep -q "connect to unix:$PWD/sock" err
    run -0 grep -cE "^dsgd-ps: workers connect to tcp:127.0.0.1:[0-9]+/[0-9a-f]{32}$" err
    address=$(sed -n 's/.*connect to \(tcp.*\)/\1/p' err)
    enter 0
    start 1
    tell w0 grad 0 0 1
    hears w0 bye
    hang_up w0
    wait $ps
}

@test "an address file goes when its address does, and leaves nothing when it cannot be written" {
    serve ps dsgd-ps -q -m logistic -P 1 -J 1 -o model -l tcp:127.0.0.1:0 --address-file where
    [ -s where ]
    enter 0
    start 1
    tell w0 grad 0 0 1
    hears w0 bye
    hang_up w0
    wait "$server"
    [ ! -e where ]
    run -4 bash -c "trap '' XFSZ; ulimit -f 0; dsgd-ps -q -m logistic -P 1 -J 1 -l tcp:127.0.0.1:0 --address-file where -S 1 -o /dev/null | cat; exit \${PIPESTATUS[0]}"
    [ -z "$(find . -name '*where*')" ]
}
