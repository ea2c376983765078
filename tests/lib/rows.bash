# For tests of what dsgd-shard writes and refuses. Loaded after common.bash, in $BATS_TEST_TMPDIR.

# The system's own where there is one: the shims of version managers take a second to start.
python=/usr/bin/python3
[ -x "$python" ] || python=python3

# Rows of shards as text: LABEL INDEX:VALUE ..., or with --meta KEY a member of the metadata.
rows() {
    command -v "$python" > /dev/null || skip "no python3 to read shards with"
    "$python" "$top_srcdir/tests/lib/rows.py" "$@"
}

# Reads operands in order into the shard `s` and prints its rows.
read_rows() {
    dsgd-shard -q -o s --split sequential "$@" && rows s
}

# dsgd-shard refuses a command line: the status, one line on stderr that holds the text, nothing on
# stdout, no file. It runs in the empty folder `empty`; its stdin is ours.
#   refuse STATUS TEXT ARG...
refuse() {
    local expected=$1 text=$2
    shift 2
    [ -d empty ] || mkdir empty
    cd empty
    try dsgd-shard "$@"
    cd ..
    assert_equal "$status" "$expected"
    assert_equal "$output" ''
    assert_equal "${#stderr_lines[@]}" 1
    [[ $stderr == "dsgd-shard: "*"$text"* ]] || fail "no '$text' in: $stderr"
    ! compgen -G 'empty/*' && ! compgen -G 'empty/.[!.]*' || fail 'it wrote a file'
}

# An array of NumPy's: header and bytes, as printf takes them.
#   npy DESCR SHAPE BYTES [ORDER]
npy() {
    local header="{'descr': '$1', 'fortran_order': ${4-False}, 'shape': $2, }"
    printf "\x93NUMPY\x01\x00\x$(printf %02x $((${#header} + 1)))\x00%s\n" "$header"
    printf "$3"
}

# A record of CIFAR with so many label bytes, all pixels 0 but the last.
#   record LABELS
record() {
    printf "$1"
    head -c 3071 /dev/zero
    printf '\xff'
}
