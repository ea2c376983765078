# What every Bats file starts with: the built programs on PATH, assertions, inputs, and no leftovers.
bats_require_minimum_version 1.5.0
bats_load_library bats-support
bats_load_library bats-assert
bats_load_library bats-file

: "${top_srcdir:=$(cd "$BATS_TEST_DIRNAME/.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
export top_srcdir top_builddir
PATH=${DSGD_BIN:-$top_builddir/bin}:$PATH
unset DSGD_PS DSGD_RANK

# Path of an input file in tests/data.
data() {
    echo "$top_srcdir/tests/data/$1"
}

# Runs a command every 20 ms until it succeeds; fails after SECONDS (default 10).
#   eventually [-s SECONDS] COMMAND [ARG]...
eventually() {
    local limit=10 end
    if [ "$1" = -s ]; then
        limit=$2
        shift 2
    fi
    end=$((SECONDS + limit))
    until "$@"; do
        if ((SECONDS > end)); then
            echo "not within $limit s: $*" >&2
            return 1
        fi
        sleep 0.02
    done
}

# Starts a program in the background, stdin empty, output in $BATS_TEST_TMPDIR/NAME.{out,err}, pid in $!.
# Whatever is started this way is ended by leave_nothing.
#   background NAME COMMAND [ARG]...
background() {
    local name=$1
    shift
    "$@" < /dev/null > "$BATS_TEST_TMPDIR/$name.out" 2> "$BATS_TEST_TMPDIR/$name.err" 3>&- &
    echo $! >> "$BATS_TEST_TMPDIR/.background"
}

# Starts a server whose address is needed: waits for its ready line, sets $address and $server (pid).
#   serve NAME COMMAND [ARG]...     (COMMAND gets --ready-fd by itself)
serve() {
    local name=$1
    shift
    mkfifo "$BATS_TEST_TMPDIR/$name.ready"
    "$@" --ready-fd 9 9> "$BATS_TEST_TMPDIR/$name.ready" < /dev/null \
        > "$BATS_TEST_TMPDIR/$name.out" 2> "$BATS_TEST_TMPDIR/$name.err" 3>&- &
    server=$!
    echo "$server" >> "$BATS_TEST_TMPDIR/.background"
    # shellcheck disable=SC2034 # for the test
    if ! read -r -t 20 address < "$BATS_TEST_TMPDIR/$name.ready"; then
        cat "$BATS_TEST_TMPDIR/$name.err" >&2
        return 1
    fi
}

# Pids of the programs that this test started, by whatever way: they have its environment.
our_processes() {
    local name
    for name in $(grep -ls '^dsgd-' /proc/[0-9]*/comm); do
        if grep -qszxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" "${name%/comm}/environ"; then
            name=${name%/comm}
            echo "${name#/proc/}"
        fi
    done
}

no_process() {
    [ -z "$(our_processes)" ]
}

# For teardown: ends what `background` and `serve` started, then fails if any program of this test is
# still there or a socket file is left.
leave_nothing() {
    local pid left
    if [ -f "$BATS_TEST_TMPDIR/.background" ]; then
        while read -r pid; do
            kill "$pid" 2> /dev/null || true
        done < "$BATS_TEST_TMPDIR/.background"
        while read -r pid; do
            wait "$pid" 2> /dev/null || true
        done < "$BATS_TEST_TMPDIR/.background"
    fi
    if ! eventually -s 3 no_process; then
        left=$(our_processes)
        # shellcheck disable=SC2086 # a list of pids
        ps -o pid,stat,args -p $left >&2 || echo "still running: $left" >&2
        # shellcheck disable=SC2086
        kill -9 $left 2> /dev/null
        return 1
    fi
    left=$(find "$BATS_TEST_TMPDIR" -type s)
    [ -z "$left" ] || fail "socket files left: $left"
}
