# Workers that do what a test tells them, frame by frame: tests/wire, one process each.

declare -gA wire_in wire_out

# Connects NAME to $address (or to ADDRESS).
#   wire NAME [ADDRESS]
wire() {
    local name=$1 in out
    mkfifo "$BATS_TEST_TMPDIR/$name.to" "$BATS_TEST_TMPDIR/$name.from"
    "$top_builddir/tests/wire" "${2-$address}" < "$BATS_TEST_TMPDIR/$name.to" \
        > "$BATS_TEST_TMPDIR/$name.from" 2> "$BATS_TEST_TMPDIR/$name.wire" 3>&- &
    echo $! >> "$BATS_TEST_TMPDIR/.background"
    exec {in}> "$BATS_TEST_TMPDIR/$name.to" {out}< "$BATS_TEST_TMPDIR/$name.from"
    wire_in[$name]=$in
    wire_out[$name]=$out
}

# Gives NAME one command; its answer is in $heard.
#   tell NAME COMMAND...
tell() {
    local name=$1
    shift
    echo "$*" >&"${wire_in[$name]}"
    read -r -t 60 heard <&"${wire_out[$name]}" || fail "$name: no answer to '$*'"
}

# Fails unless the next frame that NAME gets is TEXT, or begins with it.
#   hears NAME TEXT
hears() {
    tell "$1" next
    [[ $heard == "$2"* ]] || fail "$1 heard '$heard' instead of '$2'"
}

# Its connection closes.
hang_up() {
    local in=${wire_in[$1]} out=${wire_out[$1]}
    echo quit >&"$in"
    exec {in}>&- {out}<&-
    rm "$BATS_TEST_TMPDIR/$1.to" "$BATS_TEST_TMPDIR/$1.from"
}

# The usual worker of these tests: RANK, 3 features, 100 rows, labels -1 and +1; known as wRANK.
#   enter RANK...
enter() {
    local r
    for r in "$@"; do
        wire "w$r"
        tell "w$r" hello "$r" 3 100 -1 +1
    done
}

# All of them get their WELCOME and the first parameters.
#   start P
start() {
    local r
    for ((r = 0; r < $1; r++)); do
        hears "w$r" "welcome $r $1"
        hears "w$r" "params 0 0 full"
    done
}

# A server for P wires, on a socket of its own: $address, $server; trace in run.trace, words in ps.err.
#   ps_for P POLICY OPTION...
ps_for() {
    local workers=$1 policy=$2
    shift 2
    serve ps dsgd-ps -m logistic -P "$workers" -p "$policy" -l "unix:$PWD/sock" -o model -t run.trace "$@"
}

# Words of the server, once they are there.
said() {
    eventually grep -q -e "$1" ps.err || {
        cat ps.err >&2
        fail "the server did not say: $1"
    }
}
