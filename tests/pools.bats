#!/usr/bin/env bats
# Pools of workers that differ in speed, link, price and power, in dsgd-plan and dsgd-sim.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    leave_nothing
}

# cell FILE COLUMN KEY...: of the row whose first cells are KEYs, in blank- or tab-separated columns.
cell() {
    awk -v column="$2" -v key="${*:3}" '
        { first = $1; for (i = 2; i <= split(key, words, " "); i++) first = first " " $i }
        !n { for (i = 1; i <= NF; i++) if ($i == column) n = i; next }
        first == key { print $n }' "$1"
}

# near VALUE WANTED RELATIVE
near() {
    awk -v v="$1" -v w="$2" -v d="$3" 'BEGIN { x = (v - w) / w; exit !(v != "" && v != "NA" && x <= d && -x <= d) }' ||
        fail "$1 is not $2 to $3"
}

two=(--pool name=fast,n=1,delay=exp:mean=1s,price=0.36,watts=10,1
    --pool name=slow,n=1,delay=exp:mean=3s,price=3.6,watts=20,2)

# Rates a and b: the first of both after 1/(a+b), the last after 1/a + 1/b - 1/(a+b).
@test "two exponential pools take what the formula of their minimum and maximum says, in money and joules too" {
    dsgd-plan "${two[@]}" -p sync -p k-sync:1 > plan
    near "$(cell plan runtime sync 2)" 3.25 1e-6
    near "$(cell plan runtime k-sync 1)" 0.75 1e-6
    dsgd-plan "${two[@]}" -p sync -p k-sync:1 --statement > statement
    near "$(cell statement hours sync 2)" "$(awk 'BEGIN { printf "%.15g", 3.25 / 3600 }')" 1e-6
    near "$(cell statement worker_hours sync 2)" "$(awk 'BEGIN { printf "%.15g", 6.5 / 3600 }')" 1e-6
    near "$(cell statement money sync 2)" "$(awk 'BEGIN { printf "%.15g", 3.25 * 3.96 / 3600 }')" 1e-6
    near "$(cell statement joules sync 2)" 72.75 0.03 # 10 + 1 (3.25 - 1) + 20 3 + 2 (3.25 - 3)
    near "$(cell statement joules k-sync 1)" 22.5 0.01
}

@test "several workers a pool: the expected maximum by inclusion and exclusion" {
    dsgd-plan --pool name=a,n=2,delay=exp:mean=1s --pool name=b,n=3,delay=exp:mean=2s -p sync > plan
    near "$(cell plan runtime sync 5)" "$(awk '
        function choose(n, k) { return k == 0 ? 1 : choose(n - 1, k - 1) * n / k }
        BEGIN {
            for (i = 0; i <= 2; i++)
                for (j = 0; j <= 3; j++)
                    if (i + j) sum += (-1) ^ (i + j + 1) * choose(2, i) * choose(3, j) / (i + j / 2)
            printf "%.15g", sum
        }')" 1e-6
}

@test "dsgd-sim comes to the times, the money and the joules of dsgd-plan" {
    dsgd-plan "${two[@]}" -p sync -p k-sync:1 -p async --statement > plan
    while read -r policy k; do
        dsgd-sim --no-model "${two[@]}" -p "$policy" -J 20000 2> report
        sed -n '/^pool/,$p' report > simulated
        for column in hours money joules; do
            near "$(cell simulated "$column" all)" \
                "$(awk -v one="$(cell plan "$column" "${policy%:*}" "$k")" 'BEGIN { printf "%.15g", one * 20000 }')" 0.03
        done
        run -0 awk 'NR > 1 && $1 != "all" { m += $6; j += $7 } $1 == "all" { exit !(m / $6 > 0.999 && m / $6 < 1.001 && j / $7 > 0.999 && j / $7 < 1.001) }' simulated
    done <<'T'
sync 2
k-sync:1 1
async 1
T
}

@test "an exchange over a pool's own link takes its time, in plan and simulation" {
    far=(--pool name=edge,n=1,delay=const:1s,comm=const:2s,watts=5,1 --pool name=near,n=2,delay=const:2s,watts=10)
    dsgd-sim --no-model "${far[@]}" -J 5 2> report
    run -0 sed -n '/^pool/,$p' report
    assert_output - <<'X'
pool          workers        hours  worker_hours   busy_hours        money       joules
edge                1   0.00416667    0.00416667   0.00416667           NA           75
near                2   0.00416667    0.00833333   0.00555556           NA          200
all                 3   0.00416667        0.0125   0.00972222           NA          275
X
    dsgd-plan "${far[@]}" -p sync > plan
    near "$(cell plan runtime sync 3)" 3 1e-3
    near "$(cell plan energy sync 3)" 55 1e-3
    run -0 cell plan method sync 3
    assert_output simulated
    # --comm is for those who have no link of their own
    dsgd-sim --no-model "${far[@]}" --comm const:4s -J 5 -t run.trace 2> report
    run -0 awk -F '\t' '$2 == "stop" { print $1 }' run.trace
    assert_output 30.000000000
}

@test "a race on rows goes through the links, too" {
    printf '1 1:1\n-1 1:-1\n' > rows.svm
    dsgd-shard -q -o shard rows.svm
    for link in 0 9s; do
        dsgd-plan -q --pool "name=a,n=2,delay=const:1s,comm=const:$link" -m logistic -b 1 -p sync --target-loss 0.5 shard > "plan-$link"
    done
    run -0 awk -F '\t' 'FNR == 2 { t[NR > 2] = $11 } END { print t[1] / t[0] }' plan-0 plan-9s
    assert_output 10
}

@test "values keep their commas, and a pool without a delay has that of -d" {
    dsgd-plan --pool name=a,n=2,delay=pareto:scale=1s,shape=3,price=1 --pool name=b,n=2,price=2 -d const:1s -p sync > plan
    dsgd-plan -P 4 -d 0-1=pareto:scale=1s,shape=3 -d const:1s -p sync --price 0-1=1 --price 2 > ranges
    diff ranges plan
}

@test "pools that make no sense are refused with what to write instead" {
    refuses() {
        run -2 --separate-stderr dsgd-sim --no-model -J 5 "${@:2}"
        # shellcheck disable=SC2154 # set by run
        assert_equal "$stderr" "dsgd-sim: $1"
    }
    refuses "--pool 'n=1': name is missing: write name=edge,n=4,delay=exp:mean=80ms" --pool n=1
    refuses "--pool 'name=a': n is missing: write name=edge,n=4,delay=exp:mean=80ms" --pool name=a
    refuses "--pool 'name=a,n=0': n '0': a pool has at least one worker, and at most 2^32 - 1" --pool name=a,n=0
    refuses "--pool 'cost=1': 'cost=1' is none of the keys of a pool: name, n, delay, comm, price, watts" --pool cost=1
    refuses "--pool 'name=a,n=1,n=2': n is told twice" --pool name=a,n=1,n=2
    refuses "--pool 'name=all,n=1': name 'all': it is one word, and not 'all'" --pool name=all,n=1
    refuses "--pool 'name=a,n=1': there is a pool of that name before: give each its own" --pool name=a,n=1 --pool name=a,n=1
    refuses "-P 3, but the pools have 2 workers: leave -P out" -P 3 --pool name=a,n=2,delay=const:1s
    refuses "-d is missing: the time of a minibatch (see dsgd-sim --help)" --pool name=a,n=2
    refuses "--pool: pool 'a' has price= and pool 'b' has none: give it to all pools or to none" -d const:1s --pool name=a,n=1,price=1 --pool name=b,n=1
}
