#!/usr/bin/env bats
# dsgd-ps --metrics: the figures of a run over HTTP, and clients that are no good.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# The page of figures.
#   page [CURL OPTION]...
page() {
    curl -s --fail --max-time 20 --unix-socket metrics.sock "$@" http://localhost/metrics
}

# Fails unless the page has this line for a figure.
#   figure NAME VALUE
figure() {
    grep -qxF -- "$1 $2" figures || fail "no '$1 $2' in: $(grep -F "${1%%\{*}" figures)"
}

# Whether this machine can ask and check.
tools() {
    command -v curl > /dev/null || skip 'no curl'
    command -v python3 > /dev/null || skip 'no python3'
}

checked() {
    python3 "$top_srcdir/tests/lib/openmetrics.py" "$@"
}

# Two workers under k-async:1: the second gradient of worker 0 is of age 0, that of worker 1 of age 2.
three_updates() {
    ps_for 2 k-async:1 -J 100 --metrics unix:metrics.sock
    enter 0 1
    start 2
    tell w0 grad 0 0 1
    hears w0 "params 1 1 full"
    tell w0 grad 1 1 1
    hears w0 "params 2 2 full"
    tell w1 grad 0 0 1
    hears w1 "params 3 1 full"
}

@test "the figures are those of the run, in a page that strict readers of both formats take" {
    tools
    three_updates
    page > page.txt
    checked < page.txt > figures
    if command -v promtool > /dev/null; then
        promtool check metrics < page.txt
    fi
    figure dsgd_updates_total 3
    figure dsgd_loss 0.5
    figure dsgd_combine 1
    figure dsgd_training 1
    figure dsgd_workers 2
    figure dsgd_workers_connected 2
    figure 'dsgd_staleness_bucket{le="0.0"}' 2
    figure 'dsgd_staleness_bucket{le="1.0"}' 2
    figure 'dsgd_staleness_bucket{le="2.0"}' 3
    figure dsgd_staleness_sum 2
    figure 'dsgd_worker_started_total{worker="0"}' 3
    figure 'dsgd_worker_used_total{worker="0"}' 2
    figure 'dsgd_worker_made_total{worker="1"}' 1
    figure 'dsgd_worker_connected{worker="1"}' 1
    grep -q 'dsgd_run_info{.*policy="k-async:1"' figures
    page -H 'Accept: application/openmetrics-text' | checked --openmetrics > open
    figure dsgd_updates_total 3
    diff <(sed 's/[ {].*//' figures | sort -u) <(sed 's/[ {].*//' open | sort -u)
    bytes=$(awk '/^dsgd_worker_received_bytes_total/ { n += $2 } END { print n }' figures)
    figure dsgd_received_bytes_total "$bytes"
}

@test "what a lost worker had in hand is cancelled in the figures, and its bytes stay" {
    tools
    three_updates
    hang_up w1
    gone() {
        page > figures && grep -qxF 'dsgd_worker_connected{worker="1"} 0' figures
    }
    eventually gone
    figure 'dsgd_worker_cancelled_total{worker="1"}' 1
    figure 'dsgd_worker_used_total{worker="1"}' 1
    figure dsgd_workers_connected 1
    ! grep -qxF 'dsgd_worker_received_bytes_total{worker="1"} 0' figures || fail 'no bytes'
}

@test "only GET and HEAD of /metrics are answered, and a request without an end is cut off" {
    tools
    three_updates
    code() {
        curl -s -o body -w '%{http_code}' --max-time 20 --unix-socket metrics.sock "$@"
    }
    run -0 code http://localhost/
    assert_output 404
    run -0 code -I http://localhost/metrics
    assert_output 200
    for method in POST PUT DELETE; do
        run -0 code -X $method http://localhost/metrics
        assert_output 501
    done
    run code -d "$(printf 'x%.0s' {1..5000})" http://localhost/metrics
    refute_output 200
    run code -H "X: $(printf 'x%.0s' {1..20000})" http://localhost/metrics
    refute_output 200
    page > figures
    grep -qx 'dsgd_updates_total 3' figures
}

@test "clients that hang, many of them, cost a descriptor each for a while, and neither workers nor others wait" {
    tools
    three_updates
    count() {
        ls "/proc/$server/fd" | wc -l
    }
    before=$(count)
    background crowd python3 "$top_srcdir/tests/lib/hanging.py" metrics.sock 300
    eventually grep -qx 300 crowd.out
    (($(count) <= before + 18)) || fail "$before descriptors, now $(count)"
    tell w0 grad 2 2 1
    hears w0 "params 4 3 full"
    page > figures
    figure dsgd_updates_total 4
}

@test "addresses beyond this machine want --metrics-open, those of other kinds are refused" {
    refused() {
        run -2 --separate-stderr dsgd-ps -m null:1 -J 1 -x true -o model "$@"
        assert_equal "${#stderr_lines[@]}" 1
    }
    refused --metrics tcp:0.0.0.0:0
    [[ $stderr == *"--metrics: tcp:0.0.0.0:0 is no loopback"*"--metrics-open"* ]] || fail "$stderr"
    refused --metrics tls:localhost:0
    [[ $stderr == *"unix:PATH or tcp:HOST:PORT"* ]] || fail "$stderr"
    refused --metrics stdio
    refused --metrics-open
    dsgd-shard -q "$(data 16-uneven-shards-end/a.svm)"
    run -0 dsgd-ps -m logistic -J 1 -x 'dsgd-worker shard-0' -o model --metrics tcp:0.0.0.0:0 --metrics-open
    assert_line --regexp 'whoever reaches this address may read'
    run -0 dsgd-ps -m logistic -J 1 -x 'dsgd-worker shard-0' -o model --metrics tcp:127.0.0.1:0
    assert_line --regexp 'at http://127.0.0.1:[0-9]+/metrics$'
    refute_line --regexp 'whoever'
}

@test "the dashboard is JSON whose every query is about a figure that is told" {
    tools
    command -v jq > /dev/null || skip 'no jq'
    three_updates
    page | checked | sed 's/[ {].*//' | sort -u > told
    jq -r '.. | .expr? // empty' "$top_srcdir/share/grafana/dsgd.json" | grep -o 'dsgd_[a-z_]*' | sort -u > asked
    [ -s asked ]
    run -1 grep -vxFf told asked
    run -0 jq -e '.title and .schemaVersion >= 36 and (.panels | length > 6)' "$top_srcdir/share/grafana/dsgd.json"
    run -0 jq -e '[.panels[] | .gridPos | .x + .w] | max <= 24' "$top_srcdir/share/grafana/dsgd.json"
    run -0 jq -e '[.panels[].id] | length == (unique | length)' "$top_srcdir/share/grafana/dsgd.json"
}
