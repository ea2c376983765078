#!/usr/bin/env bats
# Numbers on the command line, flags that disagree, --help and --version: the same in every program.
# bats file_tags=plain

load lib/common

programs='dsgd-eval dsgd-plan dsgd-ps dsgd-shard dsgd-sim dsgd-trace dsgd-worker'

# Options that take a number, with its kind: the first three as in numbers.txt, or whole (a count that
# may be 0), real (a step that may be 0), time.
number_options() {
    cat <<'X'
count dsgd-ps --workers=
count dsgd-ps --batch=
count dsgd-ps --updates=
count dsgd-ps --passes=
count dsgd-ps --policy=k-sync:
count dsgd-ps --policy=k-batch-async:K=
count dsgd-shard --shards=
count dsgd-shard --features=
whole dsgd-worker --rank-base=
seed dsgd-ps --seed=
seed dsgd-shard --seed=
step dsgd-ps --step=
step dsgd-ps --step=const:
real dsgd-ps --l2=
step dsgd-plan --L=
real dsgd-plan --sigma2=
real dsgd-plan --gap=
real dsgd-ps --init=normal:
step dsgd-ps --clip=
step dsgd-worker --delay=pareto:1ms,
count dsgd-sim --workers=
count dsgd-plan --workers=
time dsgd-ps --time=
time dsgd-sim --time=
time dsgd-sim --comm=const:
time dsgd-plan --budget=
time dsgd-ps --worker-timeout=
time dsgd-worker --connect-timeout=
time dsgd-worker --delay=const:
time dsgd-worker --delay=exp:mean=
time dsgd-eval --timeout=
X
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    leave_nothing
}

# Spellings of a kind that must be taken, and that must not.
good() {
    case $1 in
    step) echo 1e-3 .5 5 ;;
    real) echo 1e-3 .5 5 0 ;;
    count) echo 10 08 1e3 10k 4M 2Gi ;;
    whole) echo 10 08 0 ;;
    seed) echo 0 18446744073709551615 1k ;;
    time) echo 250us 20ms 1.5s 2m 1h ;;
    esac
}

bad() {
    case $1 in
    step) printf '%s\n' 1e-3x '' nan inf -0.1 0,5 0x1p-2 0 1e999 '1 ' ;;
    real) printf '%s\n' 1e-3x '' nan inf -0.1 0,5 0x1p-2 1e999 ;;
    count) printf '%s\n' 10.5 -1 0 0x10 99999999999999999999 '3 4' '' 1e-3 +3 10x ;;
    whole) printf '%s\n' 10.5 -1 0x10 99999999999999999999 '3 4' '' ;;
    seed) printf '%s\n' -1 18446744073709551616 0x10 1.5 '' ;;
    time) printf '%s\n' -1s '1 s' 1d ms inf nan 1,5s '' 0x1s ;;
    esac
}

# After `try`: one line on stderr, nothing on stdout, status 2.
assert_misuse() {
    [ "$status" -eq 2 ] || fail "status $status: $*"
    [ -z "$output" ] || fail "on stdout: $output: $*"
    [ "${#stderr_lines[@]}" -eq 1 ] || fail "on stderr: $stderr: $*"
    [[ ${stderr_lines[0]} == "$1: "* ]] || fail "$stderr: $*"
}

# Takes `option value`, or not. An option behind it that nobody knows tells whether this one was taken,
# before any work.
taken() {
    try "$1" "$2$3" --unknown
    assert_misuse "$1" "$2$3"
    [[ $stderr == *"unknown option '--unknown'"* ]] || fail "$2$3: $stderr"
}

refused() {
    try "$1" "$2$3"
    assert_misuse "$1" "$2$3"
    [[ $stderr == *"${2%%=*} '${2#*=}$3'"* ]] || fail "$2$3: $stderr"
}

@test "every spelling of a number that is one is taken, and no other, with the option and the text" {
    local kind program option value
    while read -r kind program option; do
        for value in $(good "$kind"); do
            taken "$program" "$option" "$value"
        done
        while IFS= read -r value; do
            refused "$program" "$option" "$value"
        done < <(bad "$kind")
    done < <(number_options | sort -u -k 1,1)
}

@test "a step with a decimal comma is no number, and not one of 0" {
    refused dsgd-ps --step= 0,5
    [[ $stderr == "dsgd-ps: --step '0,5': not a number (see dsgd-ps --help)" ]] || fail "$stderr"
}

@test "every option that takes a number refuses what is none of its kind" {
    local kind program option value
    while read -r kind program option; do
        IFS= read -r value < <(bad "$kind")
        refused "$program" "$option" "$value"
    done < <(number_options)
}

@test "the spellings are those that people use" {
    local kind spelling expected
    local -A here
    for kind in step real count whole seed time; do
        for spelling in $(good $kind); do
            here["$kind $spelling"]=taken
        done
        while IFS= read -r spelling; do
            here["$kind $spelling"]=refused
        done < <(bad $kind)
    done
    while IFS=$'\t' read -r kind spelling expected; do
        [[ $kind != '#'* ]] || continue
        expected=${expected%%[!a-z]*}
        [ "$expected" = refused ] && [ "$spelling" != 1e3 ] && [ "$spelling" != 10k ] || expected=taken
        assert_equal "$kind '$spelling' ${here["$kind $spelling"]-}" "$kind '$spelling' $expected"
    done < <(sed 's/\t\t/\t\x01\t/' "$(data 21-numbers-and-flags/numbers.txt)" | grep -v $'\x01')
}

two_rows() {
    printf '1 1:2\n-1 1:1\n' > two.svm
}

@test "numbers are worth what they say" {
    two_rows
    dsgd-ps -q -m logistic -b 1e3 -J 08 -s 18446744073709551615 -e .5 --l2 1e-3 -o model -t trace \
        -x 'dsgd-worker -q two.svm'
    run -0 head -n 1 trace
    assert_output --partial '"b":1000,'
    assert_output --partial '"seed":"18446744073709551615"'
    assert_output --partial '"l2":0.001,'
    run -0 awk '$2 == "update" { n++ } END { print n }' trace
    assert_output 8
    dsgd-shard -q -n 2 -s 0 two.svm
    grep -aq '"seed":"0"' shard-1
}

@test "a K that does not fit is refused with both numbers" {
    for policy in k-sync k-async; do
        try dsgd-ps -m softmax -J 1 -P 8 -l unix:ps -p "$policy:9"
        assert_misuse dsgd-ps "$policy:9"
        [[ $stderr == *'K=9 with 8 workers' ]] || fail "$stderr"
    done
    for policy in sync:3 async:3 sync:K=8; do
        try dsgd-ps -m softmax -J 1 -P 8 -l unix:ps -p "$policy"
        assert_misuse dsgd-ps "$policy"
        [[ $stderr == *"'$policy'"* ]] || fail "$stderr"
    done
    assert_not_exists ps
}

@test "of an option given twice the last counts" {
    two_rows
    dsgd-ps -q -m logistic -J 3 -J 5 -b 1 --batch 2 -o model -t trace -x 'dsgd-worker -q two.svm'
    run -0 awk '$2 == "update" { n++ } END { print n }' trace
    assert_output 5
    run -0 head -n 1 trace
    assert_output --partial '"b":2,'
}

@test "an unknown option is refused by name, with a pointer to --help" {
    for program in $programs; do
        for option in --frob=3 -qZ; do
            try "$program" "$option"
            assert_misuse "$program" "$option"
            [[ $stderr == *"unknown option '"*"(see $program --help)" ]] || fail "$stderr"
        done
        try "$program" --quiet=3
        assert_misuse "$program" --quiet=3
        [[ $stderr == *"option '--quiet' takes no value (see $program --help)" ]] || fail "$stderr"
    done
}

@test "a missing value is refused by the option's name, with a pointer to --help" {
    local program option n=0
    for program in $programs; do
        while read -r option; do
            n=$((n + 1))
            try "$program" "--$option"
            assert_misuse "$program" "--$option"
            [[ $stderr == *"option '--$option' needs a value"*"(see $program --help)" ]] || fail "$stderr"
        done < <("$program" --help | sed -n 's/^ .* --\([A-Za-z0-9-]*\)=.*/\1/p')
    done
    [ $n -gt 50 ]
}

@test "a SPEC that nobody knows is refused with those that are known" {
    local program option name known n=0
    for program in $programs; do
        try "$program" --help
        for option in $(tr '\n' ' ' <<< "$output" | sed 's/ --/\n--/g' |
            sed -n "s/^--\([a-z0-9-]*\)=.*or *'help'.*/\1/p"); do
            try "$program" "--$option=help"
            known=$output
            n=$((n + 1))
            try "$program" "--$option=frob"
            assert_misuse "$program" "--$option=frob"
            while read -r name; do
                [[ $stderr == *"$name"* ]] || fail "$program --$option=frob: no $name in: $stderr"
            done < <(awk '/^[^ ]/ { print $1 }' <<< "$known")
        done
    done
    [ $n -gt 10 ]
}

@test "--help and --version win over all else, on stdout" {
    for program in $programs; do
        for line in '--help' '-q no-such-file --frob --help'; do
            # shellcheck disable=SC2086 # words
            run -0 --separate-stderr "$program" $line
            [ -z "$stderr" ]
            assert_line --index 0 --regexp "^Usage: $program "
            assert_line --regexp '^ *-q, --quiet '
        done
        run -0 --separate-stderr "$program" --frob --version no-such-file
        [ -z "$stderr" ]
        assert_output --regexp "^$program \(dsgd\) [0-9]+\.[0-9]+"
    done
    run -0 dsgd-ps -l unix:ps -m softmax -J 1 -o model -x 'touch started' --help
    assert_not_exists ps
    assert_not_exists model
    assert_not_exists started
}

@test "--help fits a terminal of 80 columns" {
    for program in $programs; do
        run -0 "$program" --help
        for line in "${lines[@]}"; do
            [ "${#line}" -le 80 ] || fail "$program: $line"
        done
    done
}

@test "the help of a table wins over other options but not over --help" {
    run -0 --separate-stderr dsgd-ps --frob --policy=help
    assert_line --regexp '^k-sync '
    run -0 --separate-stderr dsgd-ps --policy=help --help
    assert_line --index 0 --regexp '^Usage: '
}

@test "without arguments a program says in one line what it needs, and does not wait" {
    for program in $programs; do
        run --separate-stderr "$program" < /dev/null
        [ "$status" -ne 0 ]
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" -eq 1 ] || fail "$program: $stderr"
        [[ $stderr == "$program: "* ]] || fail "$stderr"
    done
}

@test "without arguments on a terminal a program does not wait either" {
    command -v script > /dev/null || skip 'no script'
    for program in $programs; do
        run timeout 10 script -qec "$program" /dev/null
        [ "$status" -eq 2 ] || fail "$program: status $status"
        assert_output --regexp "^$program: "
    done
}

@test "options and operands may be mixed, and -- ends the options" {
    two_rows
    cp two.svm ./-v
    dsgd-shard two.svm -q -o mixed-%d -n 2
    assert_exists mixed-1
    dsgd-shard -q -o ended -- -v
    assert_exists ended
}

@test "help that cannot be written is a failure" {
    [ -e /dev/full ] || skip 'no /dev/full'
    for program in $programs; do
        run -4 sh -c "$program --help > /dev/full"
        assert_output --partial '<stdout>'
    done
}
