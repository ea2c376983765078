#!/usr/bin/env bats
# dsgd-ps --metrics: who hangs about is closed in time, whatever he does meanwhile. Part of check-long: it waits.

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
    command -v python3 > /dev/null || skip 'no python3'
}

teardown() {
    leave_nothing
}

@test "clients that say nothing, or a byte now and then, are closed within seconds" {
    ps_for 1 async -J 1 --metrics unix:metrics.sock
    enter 0
    start 1
    count() {
        ls "/proc/$server/fd" | wc -l
    }
    before=$(count)
    background silent python3 "$top_srcdir/tests/lib/hanging.py" metrics.sock 5
    eventually grep -qx 5 silent.out
    background slow python3 "$top_srcdir/tests/lib/hanging.py" --drip metrics.sock 5
    eventually grep -qx 5 slow.out
    as_before() {
        (($(count) <= before))
    }
    run ! as_before
    eventually -s 20 as_before
    eventually grep -qx closed slow.out
}
