#!/usr/bin/env bats
# What a run means: who is in an update, what it divides by, where every gradient went, how it ends.
# bats file_tags=slow

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Shards a, b and c of a folder of tests/data, in file order.
shards() {
    local s
    for s in a b c; do
        dsgd-shard -q --split sequential -o "$s" "$(data "$1/$s.svm")"
    done
}

# Three workers on a, b and c, the third with a delay; a trace in run.trace.
#   three POLICY DELAY_OF_C OPTION...
three() {
    local policy=$1 delay=$2
    shift 2
    dsgd-ps -p "$policy" -m logistic -t run.trace "$@" \
        -x 'dsgd-worker a' -x 'dsgd-worker b' -x "dsgd-worker -d $delay c"
}

# A column of `dsgd-trace summary`, a worker a line, `all` last.
column() {
    dsgd-trace summary "${2-run.trace}" |
        awk -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}

# The weight that a one-feature model has, from its logistic loss on a row `+1 i:1`.
weights() {
    dsgd-eval "$1" < snapshots | awk 'NR > 1 { printf "%.9f\n", -log(exp($3) - 1) }'
}

@test "in sync the three weights are equal to the last bit after every update" {
    shards 17-one-gradient-each
    three sync const:5ms -e 0.3 -b 1 --no-bias -J 20 -S 1 -q > snapshots
    for s in a b c; do
        dsgd-eval "$s" < snapshots > "$s.tsv"
    done
    [ "$(wc -l < a.tsv)" -eq 22 ] # a header, and iterations 0 to 20
    run -0 diff <(cut -f 1,3 a.tsv) <(cut -f 1,3 b.tsv)
    run -0 diff <(cut -f 1,3 a.tsv) <(cut -f 1,3 c.tsv)
    run -0 awk 'NR == 2 { a = $1 - 0.05 } NR == 3 { b = $1 - 0.09875026 }
        END { exit !(a * a < 1e-14 && b * b < 1e-14) }' <(weights a)
    identities
}

@test "k-sync takes two different workers for every update, and no gradient of an older model" {
    shards 17-one-gradient-each
    three k-sync:2 const:200ms -e 0.3 -b 1 --no-bias -J 20 -q -o model
    run -0 column used
    assert_line --index 3 40
    run -0 awk '$2 == "push" { if ($7 != 0 || n % 2 && $3 == last) exit 1; last = $3; n++ } END { exit n != 40 }' run.trace
    identities
}

@test "k-batch-sync takes two gradients for the current model, of one worker or of two" {
    shards 17-one-gradient-each
    three k-batch-sync:2 const:200ms -e 0.3 -b 1 --no-bias -J 20 -q -o model
    run -0 column used
    assert_line --index 3 40
    run -0 awk '$2 == "push" && $7 != 0 { exit 1 }' run.trace
    identities
}

@test "every gradient is accounted for under every policy" {
    shards 18-where-gradients-went
    while read -r policy used; do
        three "$policy" const:30ms -e 0.1 -b 1 -J 20 -q -o model
        run -0 column used
        assert_line --index 3 "$used"
        run -0 awk 'NR > 1 && $2 != $3 + $4 + $5 + $6 + $7 { exit 1 }' <(dsgd-trace summary run.trace)
        case $policy in
            sync | *async*) run -0 awk 'NR > 1 && $4 + $5 + $6 > 0 { exit 1 }' <(dsgd-trace summary run.trace) ;;
        esac
        identities
    done <<'X'
sync 60
k-sync:2 40
k-batch-sync:2 40
async 20
k-async:2 40
k-batch-async:2 40
X
}

@test "in k-sync a slow worker's share shows up as cancelled, not as used" {
    shards 18-where-gradients-went
    three k-sync:2 const:10s -e 0.1 -b 1 -J 20 -o model 2> summary
    run -0 column used
    assert_line --index 2 0
    run -0 column cancelled
    assert_line --index 2 20
    run -0 grep -E '^ *2 +20 +0 +20 +0 +0 +0' summary
}

@test "a worker that reads nothing does not stop service to the others" {
    shards 18-where-gradients-went
    dsgd-shard -q --features 1000000 -o wide "$(data 18-where-gradients-went/a.svm)"
    serve ps dsgd-ps -q -P 3 -p k-sync:2 -l "unix:$PWD/sock" -m logistic -b 1 -J 60 -o model -t run.trace \
        --drain-timeout 200ms
    background c dsgd-worker -r 2 -c "$address" -d const:10s c
    c=$!
    background a dsgd-worker -r 0 -c "$address" -d const:20ms wide
    background b dsgd-worker -r 1 -c "$address" -d const:20ms b
    eventually grep -q $'\tupdate\t' run.trace
    kill -STOP $c
    wait "$server"
    kill -CONT $c
    run -0 column updates
    assert_line --index 3 60
    # well before the worker that is stopped would count as lost
    run -0 awk '$2 == "stop" { exit !($1 < 20) }' run.trace
}

@test "uneven shards: passes end when every row was used, and everybody goes home" {
    shards 16-uneven-shards-end
    for policy in sync k-sync:2 k-batch-sync:2 async k-async:2 k-batch-async:2; do
        three "$policy" const:1ms -e 0.1 -b 2 -E 2 -q -o model
        # minibatches started: 2 passes of 3, 2 and 1
        run -0 column started
        assert_output $'6\n4\n2\n12'
        run -0 column unfinished
        assert_output $'0\n0\n0\n0'
        case $policy in
            sync | *async*)
                run -0 column rows
                assert_line --index 3 18
                ;;
        esac
        identities
        no_process
    done
}

@test "in a pass, the rows that were used and those thrown away are all rows, under every K policy" {
    shards 16-uneven-shards-end
    for policy in sync k-sync:2 k-batch-sync:2 async k-async:2 k-batch-async:2 bounded:2 bounded:1,mode=drop ssp:1; do
        three "$policy" const:1ms -e 0.1 -b 2 -E 2 -o model 2> summary
        run -0 awk -F '\t' '$2 == "push" { used += $8 } $2 ~ /^(cancelled|late|drop)$/ { thrown += $8 }
            END { print thrown + 0; exit used + thrown != 18 }' run.trace
        if [ "$output" -gt 0 ]; then
            run -0 grep -x "dsgd-ps: $output rows were in minibatches thrown away (cancelled, late or dropped)" summary
        else
            run -1 grep 'thrown away' summary
        fi
    done
}

@test "uneven shards: a run by updates starts short shards over" {
    shards 16-uneven-shards-end
    for policy in sync k-sync:2 k-batch-sync:2 async k-async:2 k-batch-async:2; do
        three "$policy" const:1ms -e 0.1 -b 2 -J 10 -q -o model
        run -0 column updates
        assert_line --index 3 10
        identities
    done
}

@test "sync ends in the same bits, however the delays fall" {
    shards 16-uneven-shards-end
    for delay in exp:mean=4ms exp:mean=1ms const:3ms; do
        dsgd-ps -q -P 3 -m softmax -b 2 -e 0.2 --l2 0.01 -s 7 -J 60 -o "$delay" \
            -x "dsgd-worker -d $delay a" -x 'dsgd-worker b' -x "dsgd-worker -d $delay c"
        dsgd-eval -m "$delay" a b c | cut -f 3- > "$delay.tsv"
    done
    # the record tells the time of its last update; the parameters are its last bytes
    for delay in exp:mean=1ms const:3ms; do
        run -0 cmp <(tail -c 16 exp:mean=4ms) <(tail -c 16 "$delay")
        run -0 cmp exp:mean=4ms.tsv "$delay.tsv"
    done
}

@test "a step that is too large ends the run with status 1, its update and the advice" {
    dsgd-shard -q --split sequential -o rows "$(data 11-diverging-loss/rows.svm)"
    run -1 --separate-stderr dsgd-ps -q -m least-squares -b 4 -e 1 -J 100 -o model -x 'dsgd-worker rows'
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr =~ update\ ([0-9]+):.*step ]]
    [ "${BASH_REMATCH[1]}" -le 27 ]
    assert_equal "$output" ''
    if [ -e model ]; then
        run -0 dsgd-eval -m model rows
        refute_output --regexp 'nan|inf|NA'
    fi
}

# Fails unless the account on stderr, in the file summary, is that of the trace.
same_account() {
    run -0 diff <(awk 'NF == 10 && $1 ~ /^(worker|all|[0-9]+)$/ { print $1, $2, $3, $4, $5, $6, $7, $8 }' summary) \
        <(dsgd-trace summary run.trace | cut -f 1-8 | tr '\t' ' ')
}

@test "after a step that failed the account on stderr is that of the trace" {
    for s in a b rows; do
        dsgd-shard -q --split sequential -o "$s" "$(data "11-diverging-loss/$s.svm")"
    done
    run -1 dsgd-ps -m least-squares -b 4 -e 1 -J 100 -t run.trace -o model -x 'dsgd-worker rows'
    echo "$output" > summary
    same_account
    for policy in sync k-sync:1 async k-batch-async:2 k-async:1 bounded:1 ssp:1; do
        run -1 dsgd-ps -m least-squares -p $policy -b 2 -e 1 -J 1000 -t run.trace -o model \
            -x 'dsgd-worker a' -x 'dsgd-worker b'
        echo "$output" > summary
        same_account
    done
}

@test "a run that diverges ends every worker with a status that is not 0" {
    for s in a b; do
        dsgd-shard -q --split sequential -o $s "$(data 11-diverging-loss/$s.svm)"
    done
    serve ps dsgd-ps -P 2 -l "unix:$PWD/sock" -m least-squares -b 2 -e 1 -J 100 -o model
    background a dsgd-worker -c "$address" a
    a=$!
    background b dsgd-worker -c "$address" b
    b=$!
    local ps=0 wa=0 wb=0
    wait "$server" || ps=$?
    wait "$a" || wa=$?
    wait "$b" || wb=$?
    assert_equal "$ps $wa $wb" '1 1 1'
    run -0 grep step a.err
}

@test "a step that is small enough makes the loss fall at each of 100 updates" {
    dsgd-shard -q --split sequential -o rows "$(data 11-diverging-loss/rows.svm)"
    dsgd-ps -q -m least-squares -b 4 -e 1e-7 -J 100 -o model -t run.trace -x 'dsgd-worker rows'
    run -0 awk '$2 == "update" { if (n++ && $11 + 0 >= last + 0) exit 1; last = $11 } END { exit n != 100 }' run.trace
}

# Four rows whose three features are orthogonal, of mean square 1: least squares with an l1 penalty has
# weights soft(mean of x y, LAMBDA). Here the means are 3, 0.5 and -2, and the bias 10.
lasso() {
    cat > rows.csv <<'X'
a,b,c,y
1,1,1,11.5
1,-1,-1,14.5
-1,1,-1,9.5
-1,-1,1,4.5
X
    dsgd-sim -q -m least-squares --label-column y -b 4 -e 0.25 -J 200 -d const:1s -o model "$@" rows.csv
    tail -c 16 model | od -An -t f4 | xargs printf '%.4g '
}

@test "an l1 penalty leaves the weights of the exact solution, and the bias alone" {
    cd "$BATS_TEST_TMPDIR"
    assert_equal "$(lasso --l1 1)" '2 0 -1 10 '
    assert_equal "$(lasso --l1 2.5)" '0.5 0 0 10 '
    assert_equal "$(lasso --l1 0)" '3 0.5 -2 10 '
    assert_equal "$(lasso --l1 1 --l2 1)" '1 0 -0.5 10 '
}

@test "a system clock that is set back leaves no mark in a trace" {
    # each look at it is an hour before the last
    cat > clock.c <<'X'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
static long back(void) { static long hours; return 3600 * ++hours; }
int clock_gettime(clockid_t c, struct timespec *t)
{
    int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int rc = real(c, t);
    if (c == CLOCK_REALTIME) t->tv_sec -= back();
    return rc;
}
time_t time(time_t *t) { struct timespec s; clock_gettime(CLOCK_REALTIME, &s); if (t) *t = s.tv_sec; return s.tv_sec; }
int gettimeofday(struct timeval *restrict t, void *restrict z)
{
    struct timespec s;
    (void)z;
    clock_gettime(CLOCK_REALTIME, &s);
    *t = (struct timeval){ s.tv_sec, s.tv_nsec / 1000 };
    return 0;
}
X
    "${CC:-cc}" -shared -fPIC -o clock.so clock.c -ldl 2> err || skip "no shared object: $(head -n 1 err)"
    LD_PRELOAD=$PWD/clock.so dsgd-ps --version > version 2>&1 && LD_PRELOAD=$PWD/clock.so date > /dev/null ||
        skip "nothing can be put before the system's library (sanitizers)"
    shards 18-where-gradients-went
    run -0 env LD_PRELOAD="$PWD/clock.so" sh -c 'date +%s; date +%s'
    [ "${lines[1]}" -lt "$(date +%s)" ]
    timeout 20 env LD_PRELOAD="$PWD/clock.so" dsgd-ps -q -p async -m logistic -t run.trace -e 0.1 -b 1 -T 300ms -o model \
        -x 'dsgd-worker -d const:5ms a' -x 'dsgd-worker b'
    run -0 awk -F '\t' 'NR > 2 { if ($1 < last || $1 > 60) wrong++; last = $1 }
        $2 == "push" { n++; if ($9 + $10 < 0 || $9 + $10 > 60) wrong++ }
        $2 == "stop" && $1 < 0.3 { wrong++ }
        END { print n, wrong + 0; exit wrong || n < 10 }' run.trace
    identities
}
