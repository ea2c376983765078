#!/usr/bin/env bats
# dsgd-trace fit and sample: which law durations follow, and durations of a law.
# bats file_tags=plain

load lib/common.bash

setup() {
    heavy=$(data 25-no-finite-mean/heavy.csv)
    k_sync=$(data traces/k-sync.trace)
    cd "$BATS_TEST_TMPDIR" || return
}

# Cells of the rows of a family: `cells pareto spec < table`.
cells() {
    awk -F '\t' -v family="$1" -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        $1 == family { print $at }'
}

@test "fit has a row a family, best first, with a spec that can be pasted" {
    dsgd-trace sample gamma:shape=4,scale=5ms -n 800 > durations
    run -0 --separate-stderr dsgd-trace fit durations
    # shellcheck disable=SC2154 # set by run
    assert_equal "$stderr" ""
    assert_equal "$(tr '\t' ' ' <<< "${lines[0]}")" "family spec loglik aic ks p"
    assert_equal "$(cut -f 1 <<< "$output" | tail -n +2 | sort | tr '\n' ' ')" \
        "const empirical exp gamma hyperexp lognormal pareto shifted-exp uniform weibull "
    assert_equal "$(sed -n 2p <<< "$output" | cut -f 1)" gamma
    cut -f 4 <<< "$output" | tail -n +2 | grep -v NA > aic
    LC_ALL=C sort -g -c aic
    while IFS= read -r spec; do
        [ "$spec" = NA ] || dsgd-trace sample "$spec" -n 2 > /dev/null || fail "$spec"
    done < <(cut -f 2 <<< "$output" | tail -n +2)
    assert_equal "$(cells empirical spec <<< "$output")" empirical:durations
    assert_equal "$(cells const spec <<< "$output")" NA
}

@test "fit tells the right law from the wrong ones" {
    dsgd-trace sample weibull:scale=20ms,shape=2 -n 800 |
        dsgd-trace fit - > fits
    run -0 cells weibull p < fits
    [ "$(awk -v p="$output" 'BEGIN { print (p > 0.05) }')" = 1 ] || fail "p=$output"
    assert_equal "$(cells exp p < fits)" 0.01
    run cells empirical spec < fits
    assert_output ''
}

@test "a law without a finite mean is said to have none" {
    run -0 --separate-stderr dsgd-trace fit "$heavy"
    assert_regex "$(cells pareto spec <<< "$output")" '^pareto:scale=1\.0322,shape=0\.8355'
    assert_equal "$(sed -n 2p <<< "$output" | cut -f 1)" pareto
    assert_regex "$stderr" 'pareto: this law has no finite mean \(shape 0\.835574 is at most 1\)'
    assert_regex "$stderr" '9\.39485 s, is of this sample alone'
    refute_regex "$output" '9\.39485.*pareto|nan|-nan|inf'
}

@test "minibatches that were broken off count as longer than that" {
    dsgd-sim --no-model -q -P 8 -p k-sync:4 -d exp:1 -J 1000 -s 2 -t run.trace
    mean=$(dsgd-trace fit run.trace | cells exp spec | sed 's/exp:mean=//')
    [ "$(awk -v m="$mean" 'BEGIN { s = 3 / sqrt(4000); print (m > 1 - s && m < 1 + s) }')" = 1 ] ||
        fail "mean $mean"
    completed=$(dsgd-trace delays run.trace | awk '!$2 { n++; s += $1 } END { print s / n }')
    [ "$(awk -v m="$completed" 'BEGIN { print (m > 0.35 && m < 0.38) }')" = 1 ] || fail "$completed"
    dsgd-trace delays run.trace | dsgd-trace fit - > fits
    diff fits <(dsgd-trace fit run.trace | grep -v empirical)
}

@test "workers that are alike are fitted together, others apart" {
    dsgd-sim --no-model -q -P 6 -p async -d 0-2=exp:1 -d 3,5=exp:10 -d 4=const:2 -J 700 -t run.trace
    run -0 dsgd-trace fit --by worker run.trace
    assert_equal "$(tr '\t' ' ' <<< "${lines[0]}")" "family spec loglik aic ks p workers"
    assert_equal "$(cut -f 7 <<< "$output" | tail -n +2 | uniq | tr '\n' ' ')" "0-2 3,5 4 "
    assert_equal "$(awk -F '\t' '$7 == 4 { print $2; exit }' <<< "$output")" const:value=2
}

@test "fit says what is wrong with durations" {
    printf '1\n2\n-3\n' > bad
    run -3 dsgd-trace fit bad
    assert_output "dsgd-trace: bad:3: '-3': a duration cannot be negative"
    run -3 dsgd-trace fit /dev/null
    assert_output --partial "no completed duration in it"
    printf '1\n2\n' > plain
    run -3 dsgd-trace fit --by worker plain
    assert_output --partial "plain: it does not say which durations are whose"
    run -4 dsgd-trace fit missing
    run -2 dsgd-trace fit --by shard "$k_sync"
    assert_output --partial "--by: 'shard': known is worker"
}

@test "sample draws what a run draws" {
    run -0 dsgd-trace sample exp:mean=20ms -n 3 -s 7
    assert_line --index 0 duration
    assert_equal "${#lines[@]}" 4
    dsgd-sim --no-model -q -P 1 -p sync -d exp:mean=20ms -J 3 -s 7 -t run.trace
    diff <(tail -n +2 <<< "$output" | awk '{ printf "%.8f\n", $1 }') \
        <(dsgd-trace delays run.trace | tail -n +2 | awk '{ printf "%.8f\n", $1 }')
    run -0 dsgd-trace sample --json const:2 -n 1
    assert_output '{"schema":"dsgd-trace-sample/1","duration":2}'
    diff <(dsgd-trace sample pareto:1,2 -n 5) <(dsgd-trace sample pareto:1,2 -n 5)
}

@test "sample refuses what is no law, and a draw that no number holds" {
    local spec
    for spec in pareto:0,1 pareto:1,0 pareto:-1,1 pareto:1,-1 pareto:nan,1 pareto:1,inf; do
        run -2 dsgd-trace sample "$spec"
        assert_output --partial "delay '$spec'"
    done
    run -2 dsgd-trace sample
    run -1 dsgd-trace sample pareto:1,0.001 -n 100
    assert_output --partial "too large for a number"
    run -0 dsgd-trace sample help
    assert_line --partial "hyperexp"
}

@test "an option of one verb is refused by another" {
    run -2 dsgd-trace summary -n 3 "$k_sync"
    assert_output --partial "--count: summary does not take it"
    run -2 dsgd-trace fit --unit ms "$k_sync"
    assert_output --partial "--unit: fit does not take it"
    run -2 dsgd-trace import --json "$heavy"
    assert_output --partial "--json: import does not take it"
}
