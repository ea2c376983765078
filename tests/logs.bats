#!/usr/bin/env bats
# dsgd-trace import of logs of Slurm, in the Standard Workload Format, and of trace events in JSON.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' 'JobID|JobName|State|NodeList|Start|End|Elapsed|ElapsedRaw' \
        '7|train|COMPLETED|n1|2026-01-31T23:59:58|2026-02-01T00:00:08|00:00:10|10' \
        '7.batch|batch|COMPLETED|n1|2026-01-31T23:59:58|2026-02-01T00:00:08|00:00:10|10' \
        '8|train|COMPLETED|n1|2026-02-01T00:00:03|2026-02-01T00:00:23|00:00:20|20' \
        '9|train|FAILED|n2|2026-02-01T00:00:00|2026-02-01T00:00:01|00:00:01|1' \
        '10|train|COMPLETED|n2|2026-02-01T00:00:00|2026-02-02T01:00:00|1-01:00:00|90000' \
        '11|train|COMPLETED|n1|2026-02-01T00:00:08|2026-02-01T00:00:38|00:00:30|30' > sacct.txt
    printf '%s\n' '; Version: 2.2' \
        '1 0 5 100 4 -1 -1 4 200 -1 1 3 1 1 1 1 -1 -1' \
        '2 10 0 50 1 -1 -1 1 100 -1 1 4 1 1 1 1 -1 -1' '' \
        '3 20 0 -1 1 -1 -1 1 100 -1 5 4 1 1 1 1 -1 -1' \
        '4 200 0 60 1 -1 -1 1 100 -1 -1 4 1 1 1 1 -1 -1' > log.swf
    cat > torch.json <<'X'
{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "]}\""}], "with_flops": 0,
 "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 7, "tid": 7, "ts": 1000.5, "dur": 3},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 7, "tid": 7, "ts": 1000.0, "dur": 20000.5},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#1", "pid": 0, "tid": 7, "ts": 1000.0, "dur": 20000.5},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 7, "tid": 7,
   "ts": 21000.0, "dur": 10000, "args": {"External id": 3}}
 ], "traceName": "x.json"}
X
    cat > chrome.json <<'X'
[{"name":"step","ph":"B","pid":1,"tid":1,"ts":0},
{"name":"inner","ph":"B","pid":1,"tid":1,"ts":5},
{"name":"step","ph":"B","pid":2,"tid":"a","ts":10},
{"ph":"E","pid":1,"tid":1,"ts":7},
{"ph":"E","pid":1,"tid":1,"ts":1000000},
{"ph":"E","pid":2,"tid":"a","ts":3000010},
{"name":"step","ph":"B","pid":2,"tid":"a","ts":3000011}
X
}

teardown() {
    leave_nothing
}

# "time worker duration" of each minibatch.
work() {
    dsgd-trace import -q "$@" | awk -F '\t' '$2 == "push" { printf "%g %s %g\n", $1, $3, $9 }'
}

# The names of the workers, in their order.
workers() {
    dsgd-trace import -q "$@" | awk -F '\t' '$2 == "join" { printf "%s ", $12 }'
}

@test "jobs of sacct that were completed are work, at the same time on one node of two workers" {
    run -0 work sacct.txt
    assert_output $'10 0 10\n25 1 20\n40 0 30\n90002 2 90000'
    run -0 workers sacct.txt
    assert_output 'n1 n1#2 n2 '
    run -0 --separate-stderr dsgd-trace import sacct.txt
    # shellcheck disable=SC2154 # set by run
    assert_equal "$stderr" "dsgd-trace: sacct.txt: 1 jobs that were not COMPLETED are left out
dsgd-trace: workers are numbered from 0 in order of their names: 'n1' is 0, 'n2' is 2"
}

@test "sacct tells durations in three ways, and other columns may name the worker" {
    work sacct.txt > raw
    for columns in 1,3,4,5,7 1,3,4,5,6; do
        cut -d '|' -f "$columns" sacct.txt > some.txt
        diff raw <(work some.txt)
    done
    run -0 workers --worker JobName sacct.txt
    assert_output 'train train#2 train#3 '
}

@test "jobs in the Standard Workload Format that were completed are work" {
    run -0 work log.swf
    assert_output $'55 1 50\n100 0 100\n255 0 60'
    run -0 workers --worker user log.swf
    assert_output '3 4 '
    sed 1d log.swf | gzip > bare.swf.gz
    diff <(work log.swf) <(work bare.swf.gz)
}

@test "the steps of a profile of PyTorch are work, once" {
    run -0 work torch.json
    assert_output $'0.0200005 0 0.0200005\n0.03 0 0.0099995'
    run -0 work --event aten::add torch.json
    assert_output '3e-06 0 3e-06'
}

@test "trace events of Chrome: pairs of a thread, nested, an array that was never closed" {
    run -0 work --event step chrome.json
    assert_output $'1 0 1\n3.00001 1 3'
    run -0 workers --event 'st*' --worker tid chrome.json
    assert_output '1/1 2/a '
    run -3 --separate-stderr dsgd-trace import chrome.json
    assert_equal "$stderr" "dsgd-trace: chrome.json: which events are the minibatches? Name them (--event NAME, or \
--event 'NAME*'); there are 'step', 'inner'"
}

@test "a plan and a simulation from the accounting of a cluster" {
    dsgd-trace import -q log.swf > cluster.trace
    dsgd-sim -q --no-model -p sync -d recorded:cluster.trace -P 2 -J 1 -t run.trace
    assert_equal "$(awk -F '\t' '$2 == "update" { print $1 }' run.trace)" 100.000000000
    dsgd-plan -q -d cluster.trace -p k-sync > plan
    run -0 awk -F '\t' 'NR > 1 { printf "%s:%s ", $1, $2; if (!($3 > 10 && $3 < 200)) exit 1 }' plan
    assert_output 'k-sync:1 k-sync:2 '
}

# bats test_tags=plain
@test "what is held of trace events is one of them, not the file" {
    awk 'BEGIN {
        for (i = 0; i < 200000; i++)
            printf "%s{\"name\":\"step\",\"ph\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1}", i ? ",\n" : "[", i < 10 ? "X" : "I", 2 * i
        print "]" }' > long.json
    [ "$(stat -c %s long.json)" -gt 10000000 ]
    run -0 bash -c 'ulimit -v $((120 << 10)); dsgd-trace import -q --event step long.json'
    printf '[{"name":"%*s"}]' 2000000 x > big.json
    run -3 dsgd-trace import big.json
    assert_output 'dsgd-trace: big.json:1: a value of more than 1048576 bytes'
}

@test "what is wrong with a log is said with its file and line" {
    bad() { # MESSAGE FILE SED
        sed "$3" "$2" > bad
        run -3 --separate-stderr dsgd-trace import bad
        assert_equal "$stderr" "dsgd-trace: bad:$1"
        assert_output ''
    }
    bad "4: ElapsedRaw 'x': not a number of seconds" sacct.txt 's/|20$/|x/'
    bad "2: Start '2026-13-31T23:59:58': not a time as 2026-01-31T08:00:00" sacct.txt 's/|2026-01-31/|2026-13-31/'
    bad "4: 7 fields, expected 8" sacct.txt '4s/|20$//'
    bad "3: field 4 '5x': not a number" log.swf 's/ 50 1 / 5x 1 /'
    bad "5: 17 fields, expected 18" log.swf '5s/ -1$//'
    bad "7: invalid token near 'tru'" torch.json 's/"dur": 10000/"dur": tru/'
    bad "6: event 'ProfilerStep#2' has no number \"dur\"" torch.json 's/"dur": 10000/"dur": "x"/'
    bad "6: event 'ProfilerStep#2' takes -1e-06 s" torch.json 's/"dur": 10000/"dur": -1/'
    bad "6: what begins here never ends: the file was cut" torch.json '7,$d'
    bad ' no array "traceEvents" in it: trace events are that, or an array of their own' torch.json 's/traceEvents/events/'
    bad "1: no column ElapsedRaw nor Elapsed, nor Start and End; ask sacct for them: \
sacct -P -o JobID,State,NodeList,Start,ElapsedRaw" sacct.txt 's/Elapsed/Took/g; s/|Start//'
    run -2 --separate-stderr dsgd-trace import --duration x log.swf
    run -2 --separate-stderr dsgd-trace import --worker x log.swf
    assert_equal "$stderr" "dsgd-trace: --worker 'x': of an SWF log it is user, group, executable, queue or partition"
}
