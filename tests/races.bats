#!/usr/bin/env bats
# dsgd-plan on shards: policies race in simulation, and the choice is among what was seen.
# bats file_tags=slow,plain

load lib/planning

# Four shards of the digits.
digits() {
    dsgd-shard -q -n 4 -o shard-%d --no-header --label-column 65 "$top_srcdir/share/data/digits-train.csv.gz"
}

race=(-P 4 -m softmax -b 16 -e 0.01 --target-loss 0.4)

@test "on shards --best is what brute force finds best, and the same again" {
    digits
    local policies=(sync async k-sync:2 k-batch-async:3) p seed options=() d=(-d shifted-exp:100ms,1s)
    for p in "${policies[@]}"; do
        options+=(-p "$p")
    done
    run -0 --separate-stderr dsgd-plan -q "${race[@]}" "${d[@]}" "${options[@]}" --best shard-?
    local best=$output
    [ "$(dsgd-plan -q "${race[@]}" "${d[@]}" "${options[@]}" --best shard-?)" = "$best" ]
    for p in "${policies[@]}"; do
        for seed in 11 12 13 14 15; do
            dsgd-sim -q -m softmax -P 4 "${d[@]}" -p "$p" -e 0.01 -b 16 -s "$seed" -T 90s -S 300ms shard-? |
                dsgd-eval shard-? | awk -F '\t' -v p="$p" '
                    NR > 1 && $3 <= 0.4 && !found { print p "\t" $2; found = 1 }
                    END { if (!found) print p "\t" 90 }'
        done
    done > times
    awk -F '\t' -v best="$best" '
        { sum[$1] += $2 }
        END {
            split(best, word, " ")
            for (p in sum) if (least == 0 || sum[p] < least) least = sum[p]
            exit !(word[1] == "-p" && word[2] in sum && sum[word[2]] <= 1.1 * least)
        }' times || fail "$best; $(cat times)"
}

@test "the table of a race has times that were seen; a policy under two names races once" {
    digits
    dsgd-plan -v "${race[@]}" -d exp:1 -p async -p k-async -p k-batch-async:1 shard-0 > plan 2> notes
    [ "$(grep -c '^dsgd-plan: race: .* runs, seconds' notes)" -eq 4 ]
    [ "$(cell async 1 time_to_target)" = "$(cell k-async 1 time_to_target)" ]
    [ "$(cell async 1 time_to_target)" = "$(cell k-batch-async 1 time_to_target)" ]
    [ "$(cell async 1 time_to_target)" != NA ]
}

@test "the model and the penalty of a race are those of the constants; the gap's loss has its penalty" {
    digits
    printf 'model\tl2\tfstar\nsoftmax\t0.01\t0.05\n' > c.tsv
    run -0 --separate-stderr dsgd-plan -q -P 4 -d exp:1 -p async -e .01 --constants c.tsv --target-gap .5 --best shard-?
    assert_output '-p async -e .01 -b 32'
    printf 'fstar\n0.05\n' > bare.tsv
    run -2 dsgd-plan -q -P 4 -d exp:1 -p async --constants bare.tsv --target-gap .5 --best shard-?
    assert_output --partial '-m is missing'
    # the same loss is later where the penalty is in it
    dsgd-plan -q -P 4 -d exp:1 -p async -e .01 -m softmax --l2 1 --fstar 0 --target-gap 1.5 shard-? > plan
    gap=$(cell async 1 time_to_target)
    dsgd-plan -q -P 4 -d exp:1 -p async -e .01 -m softmax --l2 1 --target-loss 1.5 shard-? > plan
    awk -v a="$gap" -v b="$(cell async 1 time_to_target)" 'BEGIN { exit !(a > b) }'
}

@test "a race that nobody wins is status 1: a step that is too large, a budget that is over, a deadline" {
    digits
    run -1 --separate-stderr dsgd-plan "${race[@]}" -d exp:1 -e 1e38 --best shard-?
    [[ $stderr == *'no policy reached the target'* ]] || fail "$stderr"
    run -1 --separate-stderr dsgd-plan "${race[@]}" -d exp:1 --target-loss 1e-6 --budget 100ms --best shard-?
    [[ $stderr == *'the budget of 0.1 s was over'* ]] || fail "$stderr"
    run -1 --separate-stderr dsgd-plan "${race[@]}" -d exp:1 --deadline 10ms --best shard-?
    [ -z "$output" ]
}

@test "a deadline without a target: the least loss then" {
    digits
    dsgd-plan -q -P 4 -m softmax -e 0.01 -d exp:1 -p sync -p async --deadline 60s --best shard-? > soon
    assert_equal "$(cat soon)" '-p async -e 0.01 -b 32'
}

@test "with a deadline and watts the least energy in time, not the first" {
    digits
    local d=(-d weibull:1,2 -p k-batch-sync:3 -p k-sync:3 --target-loss 0.2 --watts 100)
    run -0 --separate-stderr dsgd-plan -q "${race[@]}" "${d[@]}" --best shard-?
    assert_output --partial '-p k-batch-sync:3 '
    run -0 --separate-stderr dsgd-plan -q "${race[@]}" "${d[@]}" --deadline 1h --best shard-?
    assert_output --partial '-p k-sync:3 '
}
