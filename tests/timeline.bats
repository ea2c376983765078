#!/usr/bin/env bats
# dsgd-trace timeline, and the cost and energy of its summary.

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# The picture of a trace is that of the trace.
pictured() {
    command -v "$python" > /dev/null || skip "no python3 to read JSON with"
    dsgd-trace -q timeline "$1" > timeline.json
    dsgd-trace -q summary "$1" > summary.tsv
    "$python" "$top_srcdir/tests/lib/timeline.py" timeline.json "$1" summary.tsv
}

@test "timelines of simulated runs of every policy show what the traces say" {
    for policy in sync k-sync:2 k-batch-sync:5 async k-async:3 k-batch-async:2 ssp:1 bounded:2 \
        bounded:2,mode=drop; do
        dsgd-sim -q --no-model -P 4 -p "$policy" -J 60 -d 0-2=exp:1s -d 3=exp:3s -t run.trace
        pictured run.trace || fail "$policy"
    done
}

@test "the timeline of a run with gradients shows its loss" {
    dsgd-shard -q -n 3 -o 's-%d' --no-header --label-column 65 "$top_srcdir/share/data/digits-test.csv.gz"
    dsgd-ps -q -P 3 -p k-batch-sync:2 -m softmax -e 0.001 -J 40 -o m -t run.trace \
        -x 'dsgd-worker -q -d exp:mean=2ms s-%r'
    pictured run.trace
    assert_equal "$(grep -c '"ph":"C".*"name":"loss"' timeline.json)" 40
    grep -q '"name":"cancelled"' timeline.json
}

# A worker that dies with work in hand and comes again, and one that joins late and leaves.
eventful() {
    tr ' ' '\t' <<'T' | sed '1s/\t/ /g'
# dsgd-trace 1 {"P":2,"policy":"async"}
time event worker seq version iteration staleness rows compute delay loss note
0.0 join 0 NA 0 NA NA NA NA NA NA NA
0.0 send 0 0 0 NA NA NA NA NA NA NA
1.0 push 0 0 0 0 0 8 0.9 NA 0.5 NA
1.0 update NA NA 1 1 NA NA NA NA 0.5 n=1
1.0 send 0 1 1 NA NA NA NA NA NA NA
2.0 join 1 NA 1 NA NA NA NA NA NA NA
2.0 send 1 0 1 NA NA NA NA NA NA NA
3.0 gone 0 NA NA NA NA NA NA NA NA lost
4.0 push 1 0 1 1 0 8 1.5 0.5 0.25 NA
4.0 update NA NA 2 2 NA NA NA NA 0.25 n=1
4.5 send 1 1 2 NA NA NA NA NA NA NA
5.0 join 0 NA 2 NA NA NA NA NA NA NA
5.0 send 0 2 2 NA NA NA NA NA NA NA
5.5 leave 1 1 2 NA NA 8 0.25 0.25 NA NA
7.0 push 0 2 2 2 0 8 2 0 NA NA
7.0 update NA NA 3 3 NA NA NA NA NA n=1
7.5 send 0 3 3 NA NA NA NA NA NA NA
7.6 set NA NA 3 3 NA NA NA NA NA K=2
8.0 stop NA NA 3 3 NA NA NA NA NA time
T
}

@test "who dies, comes again, joins late and leaves has its spans, and no other" {
    eventful > run.trace
    dsgd-trace timeline run.trace > timeline.json
    sed -n 's/.*"tid":\([0-9]*\),"name":"\([a-z]*\)","ts":\([0-9.]*\),"dur":\([0-9.]*\),.*/\1 \2 \3 \4/p' timeline.json |
        grep -v '^0 ' | sort -k 1,1n -k 3,3n > spans
    diff - spans <<'X'
1 compute 100000.000 900000.000
1 lost 1000000.000 2000000.000
1 compute 5000000.000 2000000.000
1 wait 7000000.000 500000.000
1 unfinished 7500000.000 500000.000
2 compute 2000000.000 1500000.000
2 delay 3500000.000 500000.000
2 wait 4000000.000 500000.000
2 unfinished 5000000.000 500000.000
X
}

@test "the counters show the loss that there is, every staleness, and K when it changes" {
    eventful > run.trace
    dsgd-trace timeline run.trace | sed -n 's/.*"ph":"C".*"ts":\([0-9]*\)\.000,"args":{"\(.*\)":\(.*\)}}.*/\2 \1 \3/p' |
        sort > counters
    diff - counters <<'X'
K 1000000 1
K 7600000 2
loss 1000000 0.5
loss 4000000 0.25
staleness 1000000 0
staleness 4000000 0
staleness 7000000 0
X
}

@test "a trace that is cut off anywhere gives whole JSON, and so does one that is damaged" {
    command -v "$python" > /dev/null || skip "no python3 to read JSON with"
    dsgd-sim -q --no-model -P 3 -p k-sync:2 -J 6 -d exp:1s -t run.trace
    for bytes in $(seq 700 411 "$(wc -c < run.trace)"); do
        head -c "$bytes" run.trace > cut.trace
        dsgd-trace -q timeline cut.trace |
            "$python" -c 'import json, sys; json.load(sys.stdin)["traceEvents"][1]'
    done
    sed '20s/\t[a-z]*/\tnonsense/' run.trace > bad.trace
    run -3 --separate-stderr dsgd-trace timeline bad.trace
    assert_regex "$stderr" "^dsgd-trace: bad.trace:20: unknown event 'nonsense'"
    "$python" -c 'import json, sys; json.load(sys.stdin)' <<< "$output"
    run -3 --separate-stderr dsgd-trace timeline /dev/null
    assert_equal "$output" ''
}

@test "cost and energy are those of the time there and of the time at work" {
    eventful > run.trace
    # Worker 0 was there from 0 to 3 and from 5 to 8, at work for 1 (no delay is told: since the grant), 2
    # (lost), 2 and 0.5 s (in hand at the end). Worker 1 was there from 2 to 5.5, at work for 2 and 0.5 s.
    dsgd-trace summary --price 0=3600 --price 1=7200 --watts 100,10 run.trace > table
    assert_equal "$(tail -n +2 table | cut -f 1,18,19)" $'0\t6\t555\n1\t7\t260\nall\t13\t815'
    dsgd-trace summary --watts 0=1 --watts 2,1 run.trace > table
    assert_equal "$(tail -n 1 table | cut -f 18,19)" $'NA\t11.5'
    dsgd-trace summary run.trace > table
    assert_equal "$(head -n 1 table | tr '\t' '\n' | wc -l)" 17
}

@test "a simulated run draws what theory says: all work is charged, whatever became of it" {
    dsgd-sim -q --no-model -P 8 -p k-sync:4 -J 500 -d exp:1s -t run.trace
    dsgd-trace summary --price 3600 --watts 2,0.5 run.trace | tail -n 1 | cut -f 16,18,19 > got
    awk -F '\t' -v OFMT=%.17g '
        $2 ~ /^(push|late|drop|cancelled|leave)$/ && $9 != "NA" { busy += $9 + $10 }
        END { print busy }' run.trace > busy
    awk -v busy="$(cat busy)" 'function near(a, b) { return a > b * (1 - 1e-6) && a < b * (1 + 1e-6) }
        { exit !(near($2, 8 * $1) && near($3, 2 * busy + 0.5 * (8 * $1 - busy))) }' got
    # THEORY 2.4: K / mu seconds of work an update, within four standard errors of 2000 gradients.
    awk '{ mean = $1 / 500; exit !(mean > 3.64 && mean < 4.36) }' busy
}

@test "a price that is none, and options that a verb does not take, are refused" {
    eventful > run.trace
    for wrong in '--price x' '--price 5=1' '--price 0=1' '--watts 1,2,3' '--watts 0-1=1 --watts 1=2'; do
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr dsgd-trace summary $wrong run.trace
        assert_equal "$output" ''
        assert_equal "${#stderr_lines[@]}" 1
    done
    run -2 dsgd-trace delays --price 1 run.trace
    assert_output 'dsgd-trace: --price: delays does not take it'
    run -2 dsgd-trace timeline --json run.trace
    assert_output 'dsgd-trace: --json: timeline does not take it'
}
