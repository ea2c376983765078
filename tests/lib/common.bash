# What every Bats file starts with: the built programs on PATH, assertions, inputs, and no leftovers.
bats_require_minimum_version 1.5.0

# Reads a library of Bats. Where its files are in the usual place they are read one by one: its own
# loader starts a process for each of them, and it runs again for every test.
library() {
    local file
    for file in "${BATS_LIB_PATH%%:*}/$1"/src/*.bash; do
        if [ ! -e "$file" ]; then
            bats_load_library "$1"
            return
        fi
        # shellcheck disable=SC1090
        . "$file"
    done
}
library bats-support
library bats-assert
library bats-file

: "${top_srcdir:=$(cd "$BATS_TEST_DIRNAME/.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
export top_srcdir top_builddir
PATH=${DSGD_BIN:-$top_builddir/bin}:$PATH
export DSGD_PLOT=$top_srcdir/share/plot
unset DSGD_PS DSGD_RANK
export OPENBLAS_NUM_THREADS=1 # ours use one; the others that OpenBLAS makes spin before they sleep

# Path of an input file in tests/data.
data() {
    echo "$top_srcdir/tests/data/$1"
}

# Does what `run --separate-stderr` does, in one process instead of five: for loops over many commands.
#   try COMMAND [ARG]...
try() {
    local folder=$BATS_TEST_TMPDIR
    status=0
    "$@" > "$folder/.stdout" 2> "$folder/.stderr" || status=$?
    IFS= read -r -d '' output < "$folder/.stdout" || output=${output%$'\n'}
    IFS= read -r -d '' stderr < "$folder/.stderr" || stderr=${stderr%$'\n'}
    mapfile -t lines < "$folder/.stdout"
    mapfile -t stderr_lines < "$folder/.stderr"
}

# The name of an installed locale that writes 0,5; nothing where there is none.
comma_locale() {
    locale -a 2> /dev/null | grep -m 1 -E '^(de|fr|es|it)_.*(utf8|UTF-8)$' || true
}

# Fails unless what holds with equality in every trace holds in these.
#   identities [TRACE]...     (default run.trace)
identities() {
    awk -f "$top_srcdir/tests/lib/identities.awk" "${@-run.trace}"
}

# Runs a command every 50 ms until it succeeds; fails after SECONDS (default 30).
#   eventually [-s SECONDS] COMMAND [ARG]...
eventually() {
    local limit=30 end
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
        sleep 0.05
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
    if ! read -r -t 60 address < "$BATS_TEST_TMPDIR/$name.ready"; then
        cat "$BATS_TEST_TMPDIR/$name.err" >&2
        return 1
    fi
}

# Nothing that this test started, by whatever way, still runs; otherwise its pids are in $ours.
# Our programs are known by their names, those of this test by their environment.
no_process() {
    local names
    ours=()
    mapfile -t names < <(grep -ls '^dsgd-' /proc/[0-9]*/comm)
    [ ${#names[@]} -gt 0 ] || return 0
    mapfile -t ours < <(grep -lszxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" "${names[@]/%comm/environ}")
    ours=("${ours[@]//[!0-9]/}")
    [ ${#ours[@]} -eq 0 ]
}

# For teardown: ends what `background` and `serve` started, then fails if any program of this test is
# still there or a socket file is left.
leave_nothing() {
    local pid file
    if [ -f "$BATS_TEST_TMPDIR/.background" ]; then
        while read -r pid; do
            kill "$pid" 2> /dev/null || true
        done < "$BATS_TEST_TMPDIR/.background"
        while read -r pid; do
            wait "$pid" 2> /dev/null || true
        done < "$BATS_TEST_TMPDIR/.background"
    fi
    if ! eventually -s 3 no_process; then
        ps -o pid,stat,args -p "${ours[*]}" >&2 || echo "still running: ${ours[*]}" >&2
        kill -9 "${ours[@]}" 2> /dev/null
        return 1
    fi
    shopt -s dotglob globstar nullglob
    for file in "$BATS_TEST_TMPDIR"/**; do
        [ ! -S "$file" ] || fail "socket file left: $file"
    done
}
