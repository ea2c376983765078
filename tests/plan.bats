#!/usr/bin/env bats
# dsgd-plan: times, errors and costs of policies, and the choice among them.
# bats file_tags=slow,plain

load lib/planning

# near VALUE WANTED RELATIVE
near() {
    awk -v v="$1" -v w="$2" -v d="$3" 'BEGIN { x = (v - w) / (w == 0 ? 1 : w); exit !(v != "" && x <= d && -x <= d) }' ||
        fail "$1 is not $2 to $3"
}

example=(-P 8 -d exp:mean=1s -p k-sync -b 1 -e 0.05 --L 1 --c 0.1 --sigma2 1 --gap 50)

@test "the rows are the six policies with every K, once sync and async, under the promised columns" {
    dsgd-plan -P 3 -d exp:1 > plan
    run -0 head -n 1 plan
    assert_output $'policy\tK\truntime\tmethod\tstderr\tupdates_per_s\tgradients_per_s\twasted\tstaleness\terror_floor\ttime_to_target\tcost\tenergy'
    run -0 awk -F '\t' 'NR > 1 { printf "%s:%s ", $1, $2 }' plan
    assert_output 'sync:3 k-sync:1 k-sync:2 k-sync:3 k-batch-sync:1 k-batch-sync:2 k-batch-sync:3 async:1 k-async:1 k-async:2 k-async:3 k-batch-async:1 k-batch-async:2 k-batch-async:3 '
}

@test "-p takes SPECs and names, in their order, and a K beyond P of the batch forms" {
    dsgd-plan -q -P 3 -d exp:1 -p ssp:2 -p k-async -p k-batch-sync:7 -p bounded:2 > plan
    run -0 awk -F '\t' 'NR > 1 { printf "%s:%s ", $1, $2 }' plan
    assert_output 'ssp:1 k-async:1 k-async:2 k-async:3 k-batch-sync:7 bounded:1 '
}

@test "times of an update are those of the theory's test vectors" {
    while read -r law policy k seconds; do
        dsgd-plan -P 8 -d "$law" -p "$policy" > plan
        near "$(cell "${policy%:*}" "$k" runtime)" "$seconds" 1e-5
        run -0 cell "${policy%:*}" "$k" method
        assert_output --regexp '^(exact|numeric)$'
    done <<'T'
exp:1 k-sync 4 .634524
shifted-exp:1,1 k-sync:4 4 1.634524
pareto:1,2 k-sync:4 4 1.392385
pareto:1,3 k-sync:4 4 1.242967
weibull:1,.7 k-sync:4 4 .561665
weibull:1,2 k-sync:4 4 .771521
uniform:1,3 k-sync:4 4 1.888889
exp:1 sync 8 2.717857
pareto:1,2 sync 8 5.092152
pareto:1,1.2 sync 8 31.766
exp:1 async 1 .125
exp:1 k-batch-async:4 4 .5
T
    near "$(dsgd-plan -P 8 -d exp:1 -p k-async > plan; cell k-async 4 staleness)" 1 1e-9
    near "$(cell k-async 7 staleness)" .142857 1e-5
    near "$(dsgd-plan -P 8 -d exp:1 -p k-batch-async > plan; cell k-batch-async 4 staleness)" 1.75 1e-9
}

@test "times without a formula are simulated: as those of the theory's table, within their error" {
    while read -r law ksync kbatchsync kasync kbatchasync part; do
        dsgd-plan -P 8 -d "$law" -p k-sync:4 -p k-batch-sync:4 -p k-async:4 -p k-batch-async:4 > plan
        near "$(cell k-sync 4 runtime)" "$ksync" "$part"
        near "$(cell k-batch-sync 4 runtime)" "$kbatchsync" "$part"
        near "$(cell k-async 4 runtime)" "$kasync" "$part"
        near "$(cell k-batch-async 4 runtime)" "$kbatchasync" "$part"
    done <<'T'
exp:1 .636 .501 .635 .500 .01
shifted-exp:1,1 1.636 1.634 1.242 1.000 .01
pareto:1,2 1.390 1.392 1.245 1.001 .02
weibull:1,.7 .561 .367 .835 .634 .03
weibull:1,2 .771 .735 .547 .444 .02
hyperexp:.9,.5,5 .369 .284 .625 .473 .03
T
    run -0 cell k-async 4 method
    assert_output simulated
    [ "$(cell k-async 4 stderr)" != NA ]
    [ "$(cell k-sync 4 stderr)" = NA ]
}

@test "--draws: more of them tell better, without any there are bounds" {
    dsgd-plan -P 8 -d weibull:1,2 -p k-async:4 --draws 4k > plan
    few=$(cell k-async 4 stderr)
    dsgd-plan -P 8 -d weibull:1,2 -p k-async:4 --draws 400k > plan
    near "$(cell k-async 4 stderr)" "$(awk -v x="$few" 'BEGIN { print x / 10 }')" .6
    dsgd-plan -P 8 -d weibull:1,2 -p k-async:4 --draws 0 > plan
    [ "$(cell k-async 4 method)" = bound ]
    near "$(cell k-async 4 runtime)" .771521 1e-5
}

@test "waste, energy and money are those of the theory" {
    dsgd-plan -P 8 -d shifted-exp:1,1 -p k-sync:4 -p k-async:4 --watts 1 --price 3600 > plan
    near "$(cell k-sync 4 energy)" 12.0 .01
    near "$(cell k-sync 4 wasted)" .5446 .01
    near "$(cell k-async 4 energy)" 8 .01
    near "$(cell k-sync 4 cost)" "$(awk 'BEGIN { print 8 * 1.634524 }')" 1e-5
    dsgd-plan -P 8 -d shifted-exp:1,1 -p k-async:4 --watts 3,1 > plan
    seconds=$(cell k-async 4 runtime)
    near "$(cell k-async 4 energy)" "$(awk -v t="$seconds" 'BEGIN { printf "%.12g", 3 * 8 + 8 * t - 8 }')" 1e-6
    near "$(dsgd-plan -P 8 -d exp:1 -p k-sync:4 --watts 1 > plan; cell k-sync 4 energy)" 4 1e-9
}

@test "workers that differ, also in what they draw" {
    dsgd-plan -P 4 -d 0-1=exp:1 -d 2-3=exp:3 -p k-batch-async:2 -p k-async:2 --watts 0-1=6,2 --watts 2-3=9,3 > plan
    near "$(cell k-batch-async 2 runtime)" "$(awk 'BEGIN { printf "%.12g", 2 / (2 + 2 / 3) }')" 1e-9
    # nobody waits: all watts all the time
    near "$(cell k-batch-async 2 energy)" "$(awk 'BEGIN { print 30 * 2 / (2 + 2 / 3) }')" .02
    dsgd-sim -q --no-model -P 4 -d 0-1=exp:1 -d 2-3=exp:3 -p k-async:2 -J 20000 -s 7 -t trace
    dsgd-trace summary trace > summary
    near "$(cell k-async 2 runtime)" "$(awk -F '\t' '$1 == "all" { print $16 / $15 }' summary)" .02
}

@test "an infinite mean is infinite, never chosen, and no nan" {
    dsgd-plan -P 4 -d pareto:scale=1,shape=0.8 > plan 2> notes
    run -1 grep -i 'nan\|[[:space:]]-[[:space:]]' plan
    for k in '1 1.4545' '2 2.4935' '3 6.6494'; do
        near "$(cell k-sync "${k% *}" runtime)" "${k#* }" 1e-4
    done
    [ "$(cell k-sync 4 runtime)" = inf ]
    [ "$(cell sync 4 updates_per_s)" = 0 ]
    [ "$(cell async 1 runtime)" = inf ]
    dsgd-plan -P 4 -d pareto:scale=1,shape=1.5 > plan
    for k in '1 1.2000' '2 1.5429' '3 2.3143' '4 6.9429'; do
        near "$(cell k-sync "${k% *}" runtime)" "${k#* }" 1e-4
    done
    run -0 --separate-stderr dsgd-plan -P 4 -d pareto:1,.8 -p sync -p k-sync:3 -b 1 -e .1 --L 1 --c .1 --sigma2 1 \
        --gap 9 --target-gap 2 --best
    assert_output '-p k-sync:3 -e .1 -b 1'
    run -1 dsgd-plan -P 4 -d pareto:1,.8 -p sync -b 1 -e .1 --L 1 --c .1 --sigma2 1 --gap 9 --target-gap 2 --best
}

@test "the planner's example: the K of the least time by the bounds, and those that never come there" {
    local gap k seconds
    while read -r gap k seconds; do
        dsgd-plan "${example[@]}" --target-gap "$gap" > plan 2> notes
        near "$(cell k-sync "$k" time_to_target)" "$seconds" .01
        run -0 --separate-stderr dsgd-plan "${example[@]}" --target-gap "$gap" --best
        assert_output "-p k-sync:$k -e 0.05 -b 1"
        [[ $stderr == *'these figures are bounds'* ]]
    done <<'T'
5 1 59
.1 3 694
.05 6 2113
T
    dsgd-plan "${example[@]}" --target-gap 5 > plan
    near "$(cell k-sync 8 time_to_target)" 1252 .001
    run -0 --separate-stderr dsgd-plan "${example[@]}" --target-gap .1
    [[ $stderr == *'2 of 8 rows never come to the target'* ]]
    printf '%s\n' "$output" > plan
    [ "$(cell k-sync 1 time_to_target)" = inf ]
    [ "$(cell k-sync 2 time_to_target)" = inf ]
    near "$(cell k-sync 1 error_floor)" .25 1e-9
}

@test "a target that nobody reaches is status 1, with the least floor" {
    run -1 --separate-stderr dsgd-plan "${example[@]}" --target-gap .01
    [ "${#lines[@]}" -eq 9 ]
    [[ $stderr == *'no policy reaches the gap 0.01 by the bounds, whose least floor is 0.03125'* ]] || fail "$stderr"
    run -1 --separate-stderr dsgd-plan "${example[@]}" --target-gap .01 --best
    [ -z "$output" ]
    run -1 --separate-stderr dsgd-plan "${example[@]}" --target-gap 5 --deadline 50s --best
    [[ $stderr == *'within 50 s: the first does after 58.'* ]] || fail "$stderr"
}

@test "a deadline alone: the least bound then" {
    run -0 --separate-stderr dsgd-plan "${example[@]}" --deadline 60s --best
    assert_output '-p k-sync:1 -e 0.05 -b 1'
    run -0 --separate-stderr dsgd-plan "${example[@]}" --deadline 1h --best
    assert_output --regexp '^-p k-sync:[567] '
}

@test "a step above the ceiling and stale gradients without a gamma are said to have no bound" {
    run -1 --separate-stderr dsgd-plan "${example[@]}" -e .6 --target-gap 5 --best
    [[ $stderr == *'-e 0.6 is too large for the bounds, which hold up to 0.5, in 8 of 8 rows'* ]] || fail "$stderr"
    dsgd-plan "${example[@]}" -p async -p k-async:8 --target-gap 5 > plan 2> notes
    grep -q 'gamma.*is not known.*the 1 rows' notes
    [ "$(cell async 1 time_to_target)" = NA ]
    near "$(cell k-async 8 time_to_target)" 1252 .001 # that is sync
    dsgd-plan "${example[@]}" -p async --gamma 0 --p0 0 --target-gap 5 > plan
    near "$(cell async 1 time_to_target)" 58.5747 1e-4
    dsgd-plan "${example[@]}" -p async --gamma 1.2 --target-gap 5 > plan 2> notes
    grep -q 'gamma=1.2 is too much' notes
}

@test "constants come from a table, options win over them, and what contradicts itself is refused" {
    printf 'seed\tL\tc\tsigma2\tgap\tgamma\tp0\tfstar\n3\t1\t.1\t1\t50\tNA\tNA\t2\n' > c.tsv
    dsgd-plan -P 8 -d exp:1 -p k-sync -b 1 -e .05 --constants c.tsv --target-loss 2.1 > plan
    near "$(cell k-sync 3 time_to_target)" 693.9 .001
    dsgd-plan -P 8 -d exp:1 -p k-sync -b 1 -e .05 --constants c.tsv --sigma2 0 --target-gap .1 > plan
    near "$(cell k-sync 1 error_floor)" 0 0
    run -2 dsgd-plan -P 8 -d exp:1 --constants c.tsv --c 2
    assert_output --partial 'c=2 with L=1'
    run -2 dsgd-plan -P 8 -d exp:1 --target-gap 1
    assert_output --partial 'L is not known'
    run -2 dsgd-plan "${example[@]}" --target-loss 1
    assert_output --partial '--fstar'
    printf 'L\tc\n1\tx\n' > bad.tsv
    run -3 dsgd-plan -P 8 -d exp:1 --constants bad.tsv
    assert_output --partial "bad.tsv:2: c 'x'"
    printf 'a\tb\n1\t2\n' > other.tsv
    run -3 dsgd-plan -P 8 -d exp:1 --constants other.tsv
    run -3 dsgd-plan -P 8 -d exp:1 --constants /dev/null
    run -4 dsgd-plan -P 8 -d exp:1 --constants missing.tsv
}

@test "a group of workers that is long to write is one group" {
    {
        printf 'workers\tfamily\tspec\n'
        for start in 0 1; do
            range=$(seq -s , $start 2 599)
            printf '%s\texp\texp:mean=%d\n%s\tconst\tconst:9\n' "$range" $((start + 1)) "$range"
        done
    } > fits
    [ "$(awk 'NR == 2 { print length($1) }' fits)" -gt 1000 ]
    run -0 --separate-stderr dsgd-plan -d - -p k-batch-async:1 < fits
    # 300 workers push once a second, 300 once in two
    assert_equal "$(awk 'NR == 2 { printf "%.6f", $6 }' <<< "$output")" 450.000000
    assert_equal "${#stderr_lines[@]}" 2
}

@test "-d - takes the best row of a table of fits, or that of each group" {
    printf 'family\tspec\tloglik\taic\tks\tp\nexp\texp:2\t-1\t3\t.1\t.5\npareto\tpareto:1,3\t-9\t19\t.2\t.1\n' > fits
    dsgd-plan -q -P 4 -d - -p async < fits > plan
    near "$(cell async 1 runtime)" .5 1e-9
    printf 'family\tspec\tworkers\nexp\texp:2\t0,2\nconst\tconst:9\t0,2\nexp\texp:4\t1,3-5\n' > groups
    run -0 --separate-stderr dsgd-plan -d - -p async < groups
    [[ $stderr == *'1,3-5=exp:4'* ]]
    printf '%s\n' "$output" > plan
    near "$(cell async 1 runtime)" .5 1e-9 # 2 / 2 + 4 / 4 updates a second
    run -3 dsgd-plan -P 4 -d - < plan
    assert_output --partial 'spec'
    run -3 dsgd-plan -P 4 -d - < /dev/null
}

@test "-d TRACE fits it, says which law it is, and knows how many workers there are" {
    dsgd-sim -q --no-model -P 4 -p async -d exp:3 -J 2000 -t run.trace
    run -0 --separate-stderr dsgd-plan -d run.trace -p async -p sync
    [[ $stderr == *'run.trace: all workers: delays by the best fit, '* ]] || fail "$stderr"
    printf '%s\n' "$output" > plan
    near "$(cell async 1 runtime)" .75 .08
    [ "$(cell sync 4 K)" = 4 ]
    dsgd-sim -q --no-model -P 4 -p async -d 0-2=exp:1 -d 3=exp:9 -J 2000 -t slow.trace
    run -0 --separate-stderr dsgd-plan -d slow.trace -p async
    [[ $stderr == *'slow.trace: 0-2: '*'slow.trace: 3: '* ]] || fail "$stderr"
    for i in $(seq 200); do echo "$((i % 2 + 1))"; done > durations
    run -0 --separate-stderr dsgd-plan -P 4 -d durations -p async
    [[ $stderr == *'they are taken as they are (empirical)'* ]] || fail "$stderr"
    run -2 dsgd-plan -d durations -p async
    assert_output --partial '-P is missing'
}

@test "the order of a log's lines does not matter to a plan" {
    for log in good unsorted; do
        dsgd-trace import --worker worker --step step --start start --end end \
            "$(data 24-clock-steps-back/$log.csv)" > "$log.trace" 2> /dev/null
        dsgd-plan -q -d "$log.trace" > "$log"
    done
    diff good unsorted
    run -3 dsgd-plan -P 2 -d "$(data 24-clock-steps-back/good.csv)"
    assert_output --partial 'good.csv:2'
}

@test "what is wrong on the command line is said in one line with what is known" {
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr dsgd-plan $words
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" -eq 1 ] || fail "$stderr"
    done <<'T'
-P 8
-d exp:1
-P 8 -d exp:1 -p k-sync:9
-P 8 -d exp:1 -p frob
-P 8 -d frob
-P 8 -d pareto:1,0
-P 8 -d pareto:1,nan
-P 8 -d exp:1 -p adasync:k-sync
-P 8 -d exp:1 -d exp:2
-P 8 -d exp:1 --best
-P 8 -d exp:1 --deadline 3s
-P 8 -d exp:1 --price 8=3
-P 8 -d exp:1 --watts x
-P 8 -d exp:1 -m softmax
-P 8 -d exp:1 --target-loss 1 --target-gap 1
-P 8 -d exp:1 shard
-P 8 -d exp:1 --target-loss 1 shard
-P 8 -d exp:1 --target-loss 1 -m softmax shard shard
T
}

@test "--json has the same rows, with infinity as a text" {
    run -0 dsgd-plan --json -q -P 2 -d pareto:1,.8 -p sync -p k-sync:1
    echo "$output" | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert [r["policy"] for r in rows] == ["sync", "k-sync"], rows
assert rows[0]["runtime"] == "inf" and rows[0]["stderr"] is None, rows
assert abs(rows[1]["runtime"] - 2.6667) < 1e-3, rows'
}

@test "many workers are planned for at once" {
    for P in 1 65 1000 100000; do
        dsgd-plan -q -P "$P" -d exp:1 > plan
        near "$(cell async 1 runtime)" "$(awk -v p="$P" 'BEGIN { printf "%.12g", 1 / p }')" 1e-9
        [ "$(cell k-sync "$P" runtime)" = "$(cell sync "$P" runtime)" ]
        [ "$(wc -l < plan)" -lt 600 ]
    done
    run -0 --separate-stderr dsgd-plan -P 100000 -d weibull:1,.7 -p k-async:5
    [[ $stderr == *'1 rows have no formula'* ]] || fail "$stderr"
}

@test "a table that cannot be written is a failure" {
    [ -e /dev/full ] || skip 'no /dev/full'
    run -4 sh -c 'dsgd-plan -P 8 -d exp:1 > /dev/full'
    run -0 bash -c 'set -o pipefail; dsgd-plan -P 100000 -d exp:1 | head -n 1 || [ $? -eq 141 ]'
    assert_output --partial policy
}
