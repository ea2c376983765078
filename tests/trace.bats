#!/usr/bin/env bats
# dsgd-trace: accounts, durations and staleness from traces; refusals that name the place.

load lib/common.bash

setup() {
    k_sync=$(data traces/k-sync.trace)
    async=$(data traces/async.trace)
    cd "$BATS_TEST_TMPDIR" || return
}

# Blanks for tabs, reals with six digits: what tables are compared as.
table() {
    awk -F '\t' -v OFS=' ' '{
        for (i = 1; i <= NF; i++)
            if ($i ~ /^[0-9]+\.[0-9]+$/)
                $i = sprintf("%.6g", $i)
        $1 = $1
        print
    }'
}

# The k-sync trace after an edit of sed.
edited() {
    sed "$1" "$k_sync" > edited.trace
}

@test "summary has the columns of the contract" {
    run --separate-stderr dsgd-trace summary "$k_sync"
    assert_success
    # shellcheck disable=SC2154 # set by run
    assert_equal "$stderr" ""
    assert_equal "$(head -n 1 <<< "$output" | tr '\t' ' ')" "worker started used cancelled late dropped\
 unfinished rows compute_mean compute_p50 compute_p99 wait_mean staleness_mean staleness_max updates\
 seconds updates_per_s"
}

@test "summary of a k-sync run is what was counted by hand" {
    diff - <(dsgd-trace summary "$k_sync" | tail -n +2 | table) << 'X'
0 2 2 0 0 0 0 64 1.5 1.5 1.99 1 0 0 2 5 0.4
1 2 1 0 1 0 0 32 2.25 2.25 2.495 0 0 0 1 5 0.2
2 2 1 1 0 0 0 16 1 1 1 NA 0 0 1 5 0.2
all 6 4 1 1 0 0 112 1.7 2 2.48 0.5 0 0 2 5 0.4
X
}

@test "summary of an async run counts what its end left unfinished" {
    diff - <(dsgd-trace summary "$async" | tail -n +2 | table) << 'X'
0 2 2 0 0 0 0 20 1 1 1 0 0.5 1 2 2 1
1 2 1 0 0 0 1 10 1.5 1.5 1.5 0 1 1 1 2 0.5
all 4 3 0 0 0 1 30 1.16667 1 1.49 0 0.666667 1 3 2 1.5
X
}

@test "a gradient that no update used is unfinished, its rows and staleness do not count" {
    head -n 18 "$k_sync" > short.trace # up to the last push, without its update
    diff - <(dsgd-trace summary short.trace | tail -n +2 | cut -f 1-8,15,16 | tr '\t' ' ') << 'X'
0 2 1 0 0 0 1 32 1 4
1 2 1 0 0 0 1 32 1 4
2 2 0 1 0 0 1 0 0 4
all 6 2 1 0 0 3 64 1 4
X
    diff - <(dsgd-trace staleness short.trace | tr '\t' ' ') << 'X'
staleness gradients fraction
0 2 1
X
}

@test "summary counts dropped gradients apart" {
    edited 's/late/drop/'
    run dsgd-trace summary edited.trace
    assert_line --regexp $'^1\t2\t1\t0\t0\t1\t0\t32\t2.25\t'
}

@test "delays has a row a minibatch, cut short or not" {
    diff - <(dsgd-trace delays "$k_sync" | tr '\t' ' ') << 'X'
duration censored
1 0
2 0
2.5 1
1 0
2 0
2.5 0
X
    diff - <(dsgd-trace delays "$async" | tr '\t' ' ') << 'X'
duration censored
1 0
1.5 0
1 0
0.5 1
X
}

@test "a minibatch that was broken off before it began has no duration" {
    edited $'16s/\t0.5\t2\t/\t0\t0\t/'
    run dsgd-trace delays edited.trace
    assert_success
    refute_line --regexp $'\t1$'
}

@test "staleness is a histogram of the gradients used" {
    diff - <(dsgd-trace staleness "$async" | table) << 'X'
staleness gradients fraction
0 1 0.333333
1 2 0.666667
X
}

@test "--json gives the same rows as JSON Lines" {
    command -v jq > /dev/null || skip "no jq"
    local verb
    for verb in summary delays staleness; do
        diff <(dsgd-trace "$verb" "$k_sync" | table) \
            <(dsgd-trace "$verb" --json "$k_sync" | jq -rs '
                (.[0] | del(.schema) | keys_unsorted | @tsv),
                (.[] | [del(.schema)[] | if . == null then "NA" else . end] | @tsv)' | table)
    done
}

@test "FILE is stdin by default and as -" {
    diff <(dsgd-trace summary "$async") <(dsgd-trace summary < "$async")
    diff <(dsgd-trace summary "$async") <(dsgd-trace summary - < "$async")
}

@test "a last line without its newline is left out, and said" {
    printf '9.000000000\tstop\tNA' | cat "$async" - > cut.trace
    run --separate-stderr dsgd-trace summary cut.trace
    assert_success
    assert_equal "$stderr" "dsgd-trace: cut.trace:19: the last line has no newline: left out"
    assert_equal "$output" "$(dsgd-trace summary "$async")"
    run --separate-stderr dsgd-trace -q summary cut.trace
    assert_equal "$stderr" ""
}

# refused STATUS MESSAGE COMMAND...: nothing on stdout, exactly that line on stderr.
refused() {
    local wanted=$1 message=$2
    shift 2
    try "$@"
    assert_equal "$stderr" "dsgd-trace: $message"
    assert_equal "$output" ""
    assert_equal "$status" "$wanted"
}

@test "what is no trace is refused by name" {
    refused 4 "absent: No such file or directory" dsgd-trace summary absent
    refused 4 ".: Is a directory" dsgd-trace summary .
    refused 3 "/dev/null: empty: a trace begins with '# dsgd-trace 1'" dsgd-trace delays /dev/null
    refused 3 "<stdin>: empty: a trace begins with '# dsgd-trace 1'" dsgd-trace delays < /dev/null
    seq 3 > numbers
    refused 3 "numbers:1: not a trace: the first line must begin with '# dsgd-trace 1'" \
        dsgd-trace staleness numbers
    edited '1s/trace 1/trace 2/'
    refused 3 "edited.trace:1: trace version '2': known is 1" dsgd-trace summary edited.trace
    edited '1s/{.*/[]/'
    refused 3 "edited.trace:1: must hold a JSON object behind '# dsgd-trace 1'" \
        dsgd-trace summary edited.trace
    edited '2,$d'
    refused 3 "edited.trace:2: the line with the names of the columns is missing" \
        dsgd-trace summary edited.trace
    edited '2s/rows/lines/'
    run --separate-stderr dsgd-trace summary edited.trace
    assert_equal "$status" 3
    [[ $stderr == "dsgd-trace: edited.trace:2: columns must be 'time"* ]]
}

# broken EDIT MESSAGE: every verb refuses the trace with an edited line 9, a push.
broken() {
    local verb
    edited "$1"
    for verb in summary delays staleness; do
        refused 3 "edited.trace:9: $2" dsgd-trace "$verb" edited.trace
    done
}

@test "a line that is wrong is named with what is wrong" {
    broken '9s/push/pull/' "unknown event 'pull'"
    broken $'9s/\tNA$//' "11 columns: must be 12"
    broken $'9s/$/\tNA/' "13 columns: must be 12"
    broken $'9s/.*//' "1 columns: must be 12"
    broken $'9s/\t0.25\t/\t0,25\t/' "compute '0,25': not a number"
    broken $'9s/\t0.25\t/\tnan\t/' "compute 'nan': not a number"
    broken $'9s/\t0.25\t/\t\t/' "compute '': not a number"
    broken $'9s/\t0.25\t/\t-0.25\t/' "compute and delay must not be negative"
    broken $'9s/^[^\t]*/NA/' "time is missing"
    broken $'9s/\t32\t/\tNA\t/' "push without rows"
    broken $'9s/push\t0/push\tNA/' "push without worker"
}

@test "a whole number that is none is named" {
    edited $'9s/\t32\t/\t3x\t/'
    run --separate-stderr dsgd-trace summary edited.trace
    assert_equal "$status" 3
    [[ $stderr == "dsgd-trace: edited.trace:9: rows '3x': "* ]]
}

@test "a zero byte in a line is refused" {
    { head -n 8 "$k_sync"; printf '1.5\tpush\t0\t0\0\n'; } > zero.trace
    refused 3 "zero.trace:9: a zero byte" dsgd-trace delays zero.trace
}

@test "time that goes back is refused at the line where it does" {
    edited $'10s/^[^\t]*/0.5/'
    refused 3 "edited.trace:10: time 0.500000000: goes back, the line before has 1.000000000" \
        dsgd-trace delays edited.trace
}

@test "every verb refuses events that cannot follow each other" {
    for verb in summary delays staleness; do
        edited $'9s/push\t0\t0/push\t0\t7/'
        refused 3 "edited.trace:9: push of worker 0, minibatch 7: it was not started" \
            dsgd-trace "$verb" edited.trace
        edited $'18s/push\t0\t1/push\t0\t0/'
        refused 3 "edited.trace:18: push of worker 0, minibatch 0: it has its end already" \
            dsgd-trace "$verb" edited.trace
        edited $'13s/send\t0\t1/send\t0\t5/'
        refused 3 "edited.trace:13: send of worker 0, minibatch 5: not the one that follows its last" \
            dsgd-trace "$verb" edited.trace
        edited $'s/\tjoin\t2/\tjoin\t99999999/'
        refused 3 "edited.trace:7: worker 99999999: at most 1048575" dsgd-trace "$verb" edited.trace
    done
}

@test "a terminal is read only by -, and then it is said" {
    command -v script > /dev/null || skip "no script"
    run timeout 10 script -qec 'dsgd-trace summary' /dev/null
    assert_equal "$status" 2
    assert_output --partial 'dsgd-trace: FILE is missing, and standard input is a terminal (- reads it)'
    run bash -c "printf '\\004' | timeout 10 script -qec 'dsgd-trace summary -' /dev/null"
    assert_equal "$status" 3
    assert_output --partial 'dsgd-trace: reading standard input, which is a terminal'
    assert_output --partial 'dsgd-trace: <stdin>: empty'
}

@test "wrong use is refused with status 2" {
    refused 2 "VERB is missing (see dsgd-trace --help)" dsgd-trace
    refused 2 "unknown verb 'sumary': known are summary, delays, staleness, timeline, fit, sample, import, plot" dsgd-trace sumary "$async"
    refused 2 "'c': one operand behind the verb (see dsgd-trace --help)" dsgd-trace summary a c
    refused 2 "unknown option '--jsn' (see dsgd-trace --help)" dsgd-trace summary --jsn
}

@test "help lists every verb" {
    run dsgd-trace help
    assert_success
    assert_line --regexp '^summary '
    assert_line --regexp '^delays '
    assert_line --regexp '^staleness '
}

@test "a full disk is an error" {
    [ -e /dev/full ] || skip "no /dev/full"
    run bash -c "dsgd-trace summary '$async' > /dev/full"
    assert_equal "$status" 4
    assert_output "dsgd-trace: <stdout>: No space left on device"
}

@test "a decimal comma in the locale changes nothing" {
    local comma
    comma=$(comma_locale)
    [ -n "$comma" ] || skip "no such locale"
    diff <(LC_ALL=C dsgd-trace summary "$k_sync") <(LC_ALL=$comma dsgd-trace summary "$k_sync")
}

@test "the identities hold in the traces here" {
    run identities "$k_sync" "$async"
    assert_output ""
    assert_success
}

# violated EDIT WORDS: the checker sees what the edit broke.
violated() {
    edited "$1"
    run identities edited.trace
    assert_output --partial "$2"
    assert_failure
}

@test "the checker of identities sees each of them broken" {
    violated $'10s/push\t1\t0/push\t0\t0/' 'worker 0 twice in an update'
    violated '11s/n=2/n=3/' 'n=3, pushes since the last update: 2'
    violated $'11s/\t1\t1\t/\t2\t2\t/' 'update 2 after 0'
    violated $'16s/cancelled\t2\t0/late\t2\t1/' 'late of worker 2, minibatch 1, which is live'
    violated '16p' 'cancelled of worker 2, minibatch 0, which is cancelled'
    violated $'13s/send\t0\t1/send\t0\t2/' 'minibatch 2 of worker 0: 1 must follow'
    violated $'17s/\t0\t16/\t1\t16/' 'staleness 1, iteration less version is 0'
    violated $'17s/\t0\t16/\t1\t16/' 'staleness 1 under k-sync'
    violated $'17s/push\t2\t1\t1/push\t2\t1\t0/' 'computed on version 0, granted was 1'
    violated '20d;24d' 'minibatch 1 of worker 1 outlived an update'
    violated '1s/k-sync:2/k-sync:3/' 'update of 2 gradients, K = 3'
    violated '$d' 'no stop line'
}

@test "the checker of identities adds up staleness and versions" {
    # Without the last grant, on paper, worker 0 would have ended on version 1.
    sed $'15d;16s/\t3\t/\t1\t/' "$async" > edited.trace
    run identities edited.trace
    assert_output --partial 'staleness adds up to 2, versions less gradients to 0'
    assert_failure
}
