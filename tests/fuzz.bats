# Whatever once broke a reader, and a seed of everything, is fed to it again (tests/fuzz/run finds more).

setup() {
    load lib/common.bash
}

# replay TARGET PROGRAM: all that the corpus has for it.
replay() {
    local files=("$top_srcdir/tests/fuzz/corpus/$1"/*)
    [ -e "${files[0]}" ] || fail "no corpus for $1"
    DSGD_FUZZ_FORMAT=$1 "$top_builddir/tests/fuzz/$2" "${files[@]}" || fail "$1: status $?"
}

@test "checkpoints, frames, logs, records, SPECs and traces of the corpus break nothing" {
    for target in checkpoints frames logs records specs traces; do
        replay $target $target
    done
}

@test "files of every format of the corpus break nothing" {
    formats=$(dsgd-shard --format=help | awk '/^[a-z]/ { print $1 }')
    [ "$(wc -w <<< "$formats")" -ge 10 ] || fail "formats: $formats"
    for format in $formats; do
        replay "$format" data
    done
}
