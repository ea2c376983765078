# A server that does what a test tells it, word by word: tests/fakeps.

# A server on unix:s that does these words; what it hears is in fake.out.
#   fake WORD...
fake() {
    background fake "$top_builddir/tests/fakeps" unix:s "$@"
    fake=$!
}

# The server's end, in order, and what it heard in $output and $lines.
heard() {
    wait "$fake" || { cat fake.err >&2; return 1; }
    run cat fake.out
}
