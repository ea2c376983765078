#!/usr/bin/env bats
# dsgd-sim: the same runs in virtual time.
# bats file_tags=slow

setup_file() {
    load lib/common.bash
    cd "$BATS_FILE_TMPDIR" || return
    dsgd-shard -q -n 4 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
}

setup() {
    load lib/common.bash
    load lib/training.bash
    cd "$BATS_TEST_TMPDIR" || return
    shards=("$BATS_FILE_TMPDIR"/shard-*)
}

teardown() {
    leave_nothing
    [ -z "$(find . -name '.*.??????')" ] || fail "temporary files are left"
}

# The parameters of a model: the record without its header.
parameters() {
    local n
    n=$(head -c 8 "$1" | od -An -tu8)
    tail -c +$((n + 9)) "$1"
}

# Columns of the lines of run.trace whose event matches.
#   events EVENT COLUMN...
events() {
    awk -F '\t' -v which="$1" -v columns="${*:2}" '
        BEGIN { n = split(columns, c, " ") }
        $2 ~ "^(" which ")$" { for (i = 1; i <= n; i++) printf "%s%s", $c[i], i < n ? " " : "\n" }' run.trace
}

# A run without a model, its trace in run.trace.
timing() {
    dsgd-sim -q --no-model -t run.trace "$@"
}

@test "sync ends in the very bits of a real run with the same seed, however the delays fall" {
    dsgd-ps -q -P 4 -m softmax -e 0.01 -s 7 -J 30 -o real -x "dsgd-worker -q -d exp:mean=1ms $BATS_FILE_TMPDIR/shard-%r"
    dsgd-sim -q -m softmax -e 0.01 -s 7 -J 30 -o simulated -d pareto:scale=1s,shape=1.5 "${shards[@]}"
    cmp <(parameters real) <(parameters simulated)
    dsgd-sim -q -m softmax -e 0.01 -s 8 -J 30 -o other -d pareto:scale=1s,shape=1.5 "${shards[@]}"
    run ! cmp -s <(parameters real) <(parameters other)
}

@test "a minibatch has the delay that it has in a real run" {
    dsgd-ps -q -P 2 -p async -m softmax -e 0.01 -s 7 -J 40 -o model -t real.trace \
        -x "dsgd-worker -q -d exp:mean=3ms $BATS_FILE_TMPDIR/shard-%r"
    timing -P 2 -p async -s 7 -J 200 -d exp:mean=3ms
    run -0 awk -F '\t' '
        $2 != "push" { next }
        FILENAME == "run.trace" { drawn[$3, $4] = $10; next }
        { n++; if ($10 < drawn[$3, $4] - 1e-8) short++; if ($10 < drawn[$3, $4] + 0.02) near++ }
        END { print n + 0, short + 0; exit near < n / 2 }' run.trace real.trace
    assert_output "40 0"
}

# A simulation with all that it can write, in NAME.*.
#   everything NAME POLICY OPTION...
everything() {
    dsgd-sim -p "$2" -m softmax -e 0.003 -S 100ms -d exp:mean=20ms -d 3=exp:mean=60ms --comm uniform:min=0,max=1ms \
        -t "$1.trace" -o "$1.model" "${@:3}" "${shards[@]}" > "$1.stream" 2> "$1.err"
}

@test "every policy, ended by updates, time or passes, keeps the identities and its account, and is replayed" {
    local policy end
    for policy in $(every_policy); do
        for end in '-J 100' '-T 500ms' '-E 2'; do
            echo "$policy $end"
            # shellcheck disable=SC2086 # an option and its value
            everything run "${policy/:4/:2}" $end
            identities
            dsgd-trace summary run.trace > summary
            diff <(awk '/^[0-9]/ || /^all/ { print $1, $2, $3, $4, $5, $6, $7, $8 }' run.err) \
                <(awk 'NR > 1 { print $1, $2, $3, $4, $5, $6, $7, $8 }' summary)
            dsgd-sim -q --replay run.trace -S 100ms -t again.trace -o again.model "${shards[@]}" > again.stream
            cmp run.trace again.trace
            cmp run.model again.model
            cmp run.stream again.stream
        done
    done
}

@test "the same command says the same to the last byte" {
    local policy what
    for policy in k-sync:2 k-batch-async:3 bounded:2; do
        everything one $policy -T 500ms
        everything two $policy -T 500ms
        for what in trace model stream err; do
            cmp one.$what two.$what
        done
    done
}

# Rows wide enough for a BLAS to share them out between threads, if it may.
#   wide CLASSES
wide() {
    awk -v classes="$1" 'BEGIN {
        for (i = 0; i < 600; i++) {
            printf "%d", i % classes
            for (j = 0; j < 300; j++)
                printf ",%d", rand() * 100
            print ""
        }
    }' | dsgd-shard -q -o "$1.wide" -f csv --no-header --label-column 1 -
}

@test "the bytes are the same on one thread or two, under every model and every policy" {
    local models model policy n what checked=0
    wide 2
    wide 10
    # A network of images wants images, an external model its program; the rest is seen in the others.
    models=$(dsgd-sim --model=help | awk '/^[^ ]/ && !/^cnn|^external|^null/ { print $1 }')
    while read -r model policy; do
        case $model in
        softmax) set -- softmax 10.wide ;;
        mlp) set -- mlp:32 10.wide ;;
        *) set -- "$model" 2.wide ;;
        esac
        for n in 1 2; do
            OPENBLAS_NUM_THREADS=$n OMP_NUM_THREADS=$n dsgd-sim -P 8 -p "$policy" -m "$1" -e 1e-6 -b 600 -J 20 \
                -S 5 -d exp:mean=20ms -t $n.trace -o $n.model "$2" > $n.stream 2> $n.err
        done
        for what in trace model stream err; do
            cmp 1.$what 2.$what || fail "$model $policy: not the same $what"
        done
        checked=$((checked + 1))
    done < <(printf 'softmax %s\n' $(every_policy); printf '%s k-async:4\n' $models)
    [ $checked -ge 13 ]
}

@test "policies that are the same under certain numbers are so to the last bit" {
    local pair
    for pair in 'k-sync:4 sync' 'k-async:4 sync' 'k-async:1 async' 'k-batch-async:1 async' \
        'k-batch-sync:1 k-sync:1' 'ssp:1000000 async' 'bounded:1000000 async' 'bounded:1 k-sync:1' \
        'adasync:k-batch-async,K0=3,Kmax=3,every=1s k-batch-async:3'; do
        for policy in $pair; do
            dsgd-sim -q -p "$policy" -m softmax -e 0.003 -J 80 -S 1 -d exp:mean=1s "${shards[@]}" > "$policy"
        done
        for policy in $pair; do
            dsgd-eval "$BATS_FILE_TMPDIR/shard-0" < "$policy" > "$policy.tsv"
        done
        echo "$pair"
        # shellcheck disable=SC2086 # two names
        cmp ${pair/ /.tsv }.tsv
    done
    dsgd-sim -q -p k-batch-sync:4 -m softmax -e 0.003 -J 80 -S 1 -d exp:mean=1s "${shards[@]}" |
        dsgd-eval "$BATS_FILE_TMPDIR/shard-0" > other.tsv
    run ! cmp -s other.tsv sync.tsv
}

@test "adasync: K is the one that the law of the delays and the loss of all rows ask for" {
    local law
    for law in uniform:min=18ms,max=22ms weibull:scale=20ms,shape=5; do
        dsgd-plan -P 4 -d $law > plan
        dsgd-sim -q -p adasync:k-sync,K0=2,every=100ms,loss=full -m softmax -e 0.003 -J 200 -S 1 -t run.trace -d $law \
            "${shards[@]}" | dsgd-eval "${shards[@]}" > curve
        # the least (F / F0) E[T(K)] + B / K, THEORY 5, where B is the geometric mean of both differences at K0;
        # the rule for exponential delays would end with 3
        run -0 awk -F '\t' '
            FILENAME == "plan" { if ($1 == "k-sync") t[$2] = $3; next }
            FILENAME == "curve" { loss[$1] = $3; next }
            $2 != "set" { next }
            {
                if ($11 < loss[$6] * 0.99999 || $11 > loss[$6] * 1.00001) wrong++
                b = sqrt(2 * (t[2] - t[1]) * 6 * (t[3] - t[2]))
                k = 1
                for (i = 2; i <= 4; i++)
                    if ($11 / loss[0] * t[i] + b / i < $11 / loss[0] * t[k] + b / k) k = i
                if ($12 != "K=" k) wrong++
            }
            END { exit wrong || k != 4 }' plan curve run.trace
    done
}

@test "workers have the delays of their ranges" {
    timing -p async -P 4 -T 6s -d const:1s -d 1-2=const:2s -d 3=const:3s
    run -0 events push 3 1
    [ "$(grep -c '^0 ' <<< "$output")" -eq 6 ]
    [ "$(grep -c '^[12] ' <<< "$output")" -eq 6 ]
    assert_line '3 3.000000000'
    assert_line '3 6.000000000'
    run -2 dsgd-sim --no-model -P 4 -J 1 -d 4=const:1s -d const:1s
    run -2 dsgd-sim --no-model -P 4 -J 1 -d 0-2=const:1s
}

@test "--comm is added to each exchange" {
    timing -p async -P 1 -J 3 -d const:1s --comm const:500ms
    run -0 events push 1 9 10
    assert_output $'1.500000000 0 1.5\n3.000000000 0 1.5\n4.500000000 0 1.5'
}

@test "what ends at the same time goes by the worker's number, also after sums of decimals" {
    timing -p async -P 4 -T 300ms -d 0=const:300ms -d 1-2=const:100ms -d 3=const:300ms
    run -0 events push 1 3
    assert_output - <<'EXPECTED'
0.100000000 1
0.100000000 2
0.200000000 1
0.200000000 2
0.300000000 0
0.300000000 1
0.300000000 2
0.300000000 3
EXPECTED
}

@test "-T ends the run at that very time, and what ends then still counts" {
    timing -P 3 -T 10s -d const:1s
    run -0 events stop 1 6 12
    assert_output '10.000000000 10 time'
    timing -P 3 -T 10.5s -d const:1s
    run -0 events 'stop|leave' 1 2 10
    assert_output $'10.500000000 stop NA\n10.500000000 leave 0.5\n10.500000000 leave 0.5\n10.500000000 leave 0.5'
    identities
}

@test "a minibatch that is broken off has taken the time until then" {
    timing -p k-sync:1 -P 2 -J 2 -d 0=const:1s -d 1=const:2500ms
    run -0 events 'void|cancelled' 1 2 3 4 9 10
    assert_output - <<'EXPECTED'
1.000000000 void 1 0 NA NA
1.000000000 cancelled 1 0 0 1
2.000000000 void 1 1 NA NA
2.000000000 cancelled 1 1 0 1
EXPECTED
}

@test "one shard serves all workers, each with minibatches of its own" {
    dsgd-sim -q -P 3 -m softmax -e 0.01 -J 2 -b 4 -o model -t run.trace -d const:1s "${shards[0]}"
    run -0 head -n 1 run.trace
    [ "$(grep -o '"file":' <<< "$output" | wc -l)" -eq 3 ]
    run -0 events push 11
    [ "$(tail -n 3 <<< "$output" | sort -u | wc -l)" -eq 3 ]
    dsgd-sim -q -m softmax -e 0.01 -J 2 -b 4 -o model -t run.trace -d const:1s "${shards[0]}"
    run -0 events join 3
    assert_output 0
}

@test "snapshots wait for their reader, and are those of dsgd-ps" {
    mkfifo pipe
    dsgd-sim -q -m softmax -e 0.003 -J 150 -S 1 -d const:1s "${shards[@]}" > pipe 3>&- &
    local sim=$!
    exec {late}< pipe
    run -0 dsgd-eval "$BATS_FILE_TMPDIR/shard-0" <&"$late"
    exec {late}<&-
    wait $sim
    [ "${#lines[@]}" -eq 152 ]
    assert_line --index 151 --regexp $'^150\t150\t'
    run -0 --separate-stderr dsgd-sim -q -m softmax -e 0.003 -J 10 -S 3s -o model -d const:1s "${shards[@]}"
    dsgd-sim -q -m softmax -e 0.003 -J 10 -S 3s -d const:1s "${shards[@]}" |
        dsgd-eval "$BATS_FILE_TMPDIR/shard-0" | cut -f 1,2 > times
    run -0 cat times
    assert_output $'iteration\ttime\n0\t0\n3\t3\n6\t6\n9\t9\n10\t10'
}

@test "without -S and -o the final model goes to stdout" {
    dsgd-sim -q -m softmax -e 0.003 -J 10 -d const:1s "${shards[@]}" > out
    dsgd-sim -q -m softmax -e 0.003 -J 10 -d const:1s -o file "${shards[@]}" > nothing
    cmp out file
    [ ! -s nothing ]
}

@test "a run whose loss is no number ends with the last model that was finite, status 1" {
    run -1 --separate-stderr dsgd-sim -q -m least-squares -e 1e6 -J 100 -o model -t run.trace -d const:1s "${shards[@]}"
    [[ $stderr == "dsgd-sim: update "*": "*" is not a finite number; lower the step (-e)" ]] || fail "$stderr"
    dsgd-eval -m model "$BATS_FILE_TMPDIR/shard-0"
    run -0 events stop 12
    assert_output failed
}

@test "times agree with the theory, where it is exact and where it was simulated by others" {
    local law tolerance values policies=(k-sync:4 k-batch-sync:4 k-async:4 k-batch-async:4) i
    while read -r law tolerance values; do
        # shellcheck disable=SC2206 # numbers
        values=($values)
        for i in 0 1 2 3; do
            [ "${values[i]}" != - ] || continue
            echo "${policies[i]} $law $tolerance ${values[i]}"
            dsgd-sim --no-model -P 8 -p "${policies[i]}" -d "$law" -J 50000 2>&1
        done
    done > paces <<'EXPECTED'
exp:mean=1 0.01 0.634524 0.5 0.634524 0.5
shifted-exp:shift=1,mean=1 0.01 1.634524 1.6312 1.242 1
pareto:scale=1,shape=2 0.01 1.392385 1.392 1.245 1
pareto:scale=1,shape=1.2 0.05 1.765 1.724 3.36 -
weibull:scale=1,shape=0.7 0.01 0.561665 0.367 0.835 0.634
weibull:scale=1,shape=2 0.01 0.771521 0.735 0.547 0.4431
hyperexp:p=0.9,mean1=0.5,mean2=5 0.011 0.369 0.284 0.625 0.475
EXPECTED
    run -0 awk '
        /^k-/ { what = $1 " " $2; tolerance = $3; want = $4 }
        /updates in/ {
            is = $5 / 50000
            print what ": " is " s an update, theory " want
            if (is < want * (1 - tolerance) || is > want * (1 + tolerance)) wrong++
            n++
        }
        END { exit wrong || n != 27 }' paces
}

@test "staleness agrees with the theory" {
    local policy mean
    while read -r policy mean; do
        dsgd-sim --no-model -P 8 -p "$policy" -d exp:mean=1 -J 50000 2> err
        assert_near "$(awk '/mean staleness/ { sub(",", "", $11); print $11 }' err)" "$mean" \
            "$(awk -v m="$mean" 'BEGIN { print 0.01 * m + 1e-9 }')" "$policy"
    done <<'EXPECTED'
async 7
k-async:4 1
k-async:7 0.142857
k-batch-async:4 1.75
k-batch-async:7 1
k-batch-async:16 0.4375
k-sync:4 0
EXPECTED
}

@test "a million workers are not too many, when there is no model" {
    run -0 dsgd-sim --no-model -P 1000000 -p async -d exp:mean=1s -J 100000
    assert_output --regexp '100000 updates in 0\.(09|10|11)[0-9] s'
    [ "${#lines[@]}" -eq 3 ]
}

@test "ten thousand workers share one shard and one model" {
    run -0 --separate-stderr dsgd-sim -P 10000 -p async -m softmax -e 1e-5 -b 4 -d exp:mean=1s -J 1000 -o model "${shards[0]}"
    [[ ${stderr_lines[0]} =~ 'dsgd-sim: 1000 updates in 0.'(09|10|11) ]] || fail "$stderr"
    dsgd-sim -q -P 10000 -p k-sync:100 -m softmax -e 1e-3 -b 4 -d exp:mean=1s -J 10 -o model "${shards[0]}"
    run -0 dsgd-eval -m model "${shards[0]}"
    assert_line --regexp $'^10\t0\.(09|10)'
}

@test "a delay that the clock cannot tell ends the run with a message, and no line has inf" {
    run -1 --separate-stderr timing -P 4 -J 1000 -d pareto:scale=1,shape=0.01
    assert_equal "$output" ""
    [[ $stderr == *"takes longer than the clock can tell"* ]] || fail "$stderr"
    run ! grep -qi -e inf -e nan run.trace
    identities
    # It does no harm where nobody waits for it.
    timing -p k-sync:1 -P 4 -J 3 -d 0=const:1s -d 1-3=pareto:scale=1e9,shape=0.01
    run -0 events stop 1
    assert_output 3.000000000
}

@test "delays without a finite mean are said to be so, and simulated all the same" {
    for i in 1 2; do
        run -0 --separate-stderr dsgd-sim --no-model -P 4 -p sync -s 1 -J 1000 -d pareto:scale=1,shape=0.8 -t $i.trace
        [[ ${stderr_lines[0]} == "dsgd-sim: pareto:scale=1,shape=0.8 has no finite mean: averages over the run do not settle" ]] ||
            fail "$stderr"
    done
    cmp 1.trace 2.trace
    run ! grep -qi -e inf -e nan 1.trace
    run -0 --separate-stderr dsgd-sim --no-model -P 4 -J 10 -d pareto:scale=1,shape=1.5
    refute [ "${stderr_lines[0]/finite mean/}" != "${stderr_lines[0]}" ]
}

@test "a time that never comes is not waited for" {
    run -2 dsgd-sim -q --no-model -P 2 -T 1s -d const:0
    assert_output "dsgd-sim: the clock stands still at 0 s: with these delays (-d) it never comes to 1 s"
}

@test "a terminal shows how far the run is" {
    command -v script > /dev/null || skip 'no script'
    background run script -qefc 'exec dsgd-sim --no-model -P 8 -p async -d exp:mean=1 -T 1000000h' /dev/null
    eventually grep -q 'dsgd-sim: [0-9]* updates, clock [0-9.e+]* s, [0-9]* updates/s, ' run.out
}

@test "a signal ends the run in order: its trace is whole, its model is not written" {
    dsgd-sim -q -m softmax -e 0.003 -T 1000000h -d const:1s -t run.trace -o model "${shards[@]}" 2> err 3>&- &
    local sim=$! status=0
    eventually grep -qs $'\tupdate\t' run.trace
    kill -TERM $sim
    wait $sim || status=$?
    [ "$status" -eq 143 ]
    assert_not_exists model
    run -0 events stop 12
    assert_output SIGTERM
    identities
}

@test "a closed stdout ends the run as it ends cat" {
    local status
    dsgd-sim -q -m softmax -e 0.003 -J 100000 -S 1 -o model -d const:1s "${shards[@]}" 2> err | head -c 1 > first
    status=${PIPESTATUS[0]}
    [ "$status" -eq 141 ]
    assert_not_exists model
    [ ! -s err ]
}

# Fails with this status and a message that has this text.
refuses() {
    local expected=$1 text=$2
    shift 2
    try dsgd-sim "$@"
    assert_equal "$status" "$expected"
    [ "${#stderr_lines[@]}" -eq 1 ] || fail "$stderr"
    [[ $stderr == "dsgd-sim: "*"$text"* ]] || fail "$stderr: does not say $text"
    [ -z "$output" ]
}

@test "what cannot be is refused, each with what is wrong" {
    local s=${shards[0]}
    refuses 2 'an end is missing' -m softmax -d const:1s "$s"
    refuses 2 'an end is missing' --no-model -P 2 -d const:1s
    refuses 2 '-m is missing' -J 1 -d const:1s "$s"
    refuses 2 '-d is missing' -m softmax -J 1 -o model "$s"
    refuses 2 'no shard was named' -m softmax -J 1 -d const:1s -P 2 -o model
    refuses 2 '2 shards for 3 workers' -m softmax -J 1 -d const:1s -P 3 -o model "$s" "$s"
    refuses 2 'K=3 with 2 workers' -m softmax -J 1 -d const:1s -p k-sync:3 -o model "$s" "$s"
    refuses 2 '-P is missing' --no-model -J 1 -d const:1s
    refuses 2 'it takes no shards' --no-model -J 1 -P 2 -d const:1s "$s"
    refuses 2 'there is no model' --no-model -m softmax -J 1 -P 2 -d const:1s
    refuses 2 'there is no model' --no-model -o model -J 1 -P 2 -d const:1s
    refuses 2 'there is no model' --no-model -E 3 -P 2 -d const:1s
    refuses 2 'follows the loss' --no-model -p adasync:k-sync -J 3 -P 2 -d const:1s
    refuses 2 "--delay '0=frob': unknown delay 'frob'" --no-model -J 1 -P 2 -d 0=frob -d const:1s
    refuses 3 'two classes' -m logistic -J 1 -d const:1s -o model "$s"
    refuses 4 'no-such-shard' -m softmax -J 1 -d const:1s -o model no-such-shard
    refuses 4 'no-such-folder' -m softmax -J 1 -d const:1s -o no-such-folder/model "$s"
    assert_not_exists model
}

@test "a trace that cannot be written ends the run with status 4" {
    [ -e /dev/full ] || skip 'no /dev/full'
    run -4 dsgd-sim -q --no-model -P 4 -T 1000000h -p async -d exp:mean=1s -t /dev/full
    assert_output --partial /dev/full
}
