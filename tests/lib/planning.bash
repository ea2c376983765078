# What tests of dsgd-plan share.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    leave_nothing
}

# The cell of POLICY, K and COLUMN of the table in file plan.
cell() {
    awk -F '\t' -v policy="$1" -v k="$2" -v column="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == policy && $2 == k { print $at[column] }' plan
}
