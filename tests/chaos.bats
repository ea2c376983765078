#!/usr/bin/env bats
# Everything that can fail does, at random: tests/chaos, a minute of faults over all policies.
# bats file_tags=timing

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    python=/usr/bin/python3
    [ -x $python ] || python=$(command -v python3) || skip 'no python3'
}

teardown() {
    leave_nothing
}

@test "whatever dies, freezes or is cut off, no gradient is lost or used twice, and the model is as good" {
    TMPDIR=$PWD BATS_TEST_TIMEOUT='' run -0 "$python" "$top_srcdir/tests/chaos" --seconds "${CHAOS_SECONDS-6}" --jobs 5 ${CHAOS_SEED:+--seed "$CHAOS_SEED"}
    echo "$output" >&3
}
