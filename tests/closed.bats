#!/usr/bin/env bats
# Simulated k-sync against E[X_{K:P}], the mean of the K-th fastest of P (dsgd-plan), within three standard
# errors. CLOSED_UPDATES: updates of each case (make check-long: a million).
# bats file_tags=slow,plain

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
}

updates=${CLOSED_UPDATES-4000}
laws='exp:mean=1 shifted-exp:shift=1,mean=1 pareto:scale=1,shape=2.5 pareto:scale=1,shape=4
    weibull:scale=1,shape=0.7 weibull:scale=1,shape=2 gamma:shape=3,scale=1 lognormal:mu=0,sigma=1
    uniform:min=1,max=3 hyperexp:p=0.9,mean1=0.5,mean2=5'
cases='8:1 8:4 8:8 20:10 20:20'
runs=10
[ "$updates" -lt 100000 ] || runs=50

# Seconds an update of $runs runs, seed by seed.
#   paces LAW P K
paces() {
    local seed
    for ((seed = 1; seed <= runs; seed++)); do
        dsgd-sim --no-model -d "$1" -P "$2" -p "k-sync:$3" -J $((updates / runs)) -s $seed 2>&1
    done | awk '/ updates in / { printf "%.9g\n", $5 / $2 }'
}

# One case as a row: law, P, K, theory, simulated, its standard error, how many of these lie between.
#   compare LAW P K
compare() {
    paces "$@" | awk -v law="$1" -v p="$2" -v k="$3" \
        -v theory="$(dsgd-plan -P "$2" -d "$1" -p "k-sync:$3" | awk -F '\t' 'NR == 2 { print $3 }')" '
        { n++; sum += $1; squares += $1 * $1 }
        END {
            mean = sum / n
            error = sqrt((squares - n * mean * mean) / (n - 1) / n)
            z = (mean - theory) / error
            print law, p, k, theory, mean, error, z
            exit !(n > 1 && theory > 0 && z * z < 9)
        }'
}

@test "the K-th fastest of P takes what the formulas say, under ten laws" {
    local law case i=0 failed=0 some
    for law in $laws; do
        # One case of each law in make check, all of them at length.
        some=$cases
        i=$((i % 5 + 1))
        [ "$updates" -ge 100000 ] || some=$(cut -d ' ' -f $i <<< "$cases")
        for case in $some; do
            compare "$law" "${case%:*}" "${case#*:}" || failed=1
        done
    done
    [ $failed -eq 0 ]
}
