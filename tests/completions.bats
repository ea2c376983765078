#!/usr/bin/env bats
# Completion of command lines: bash, zsh and fish, themselves, offer what the programs say there is.
# bats file_tags=plain

load lib/common

programs='dsgd-eval dsgd-plan dsgd-ps dsgd-shard dsgd-sim dsgd-trace dsgd-worker'

setup() {
    cd "$BATS_TEST_TMPDIR"
    folder=$top_srcdir/share/completions
    touch 'a file' another
    mkdir afolder
}

teardown() {
    leave_nothing
}

# What can stand for the last word of a command line, without descriptions.
#   candidates PROGRAM [WORD]...
candidates() {
    awk -f "$folder/candidates.awk" -- "$@" | cut -f 1
}

# A shell's file as it would be installed from here.
installed() {
    sed "s|@completionsdir@|$folder|" "$folder/$1"
}

@test "every option of every program is offered, those with a value go on" {
    for program in $programs; do
        candidates "$program" -- | sed 's/^[+=]//' | sort > offered
        "$program" --help | sed -n 's/^  \(-., \|    \)\(--[A-Za-z0-9-]*=\{0,1\}\).*/\2/p' | sort > shown
        diff -u shown offered
        [ "$(wc -l < shown)" -ge 10 ]
    done
}

@test "every value that the table of an option lists is offered" {
    local n=0
    for option in policy model init on-loss; do
        dsgd-ps "--$option=help" | awk '/^[^ ]/ { print $1 }' > table
        candidates dsgd-ps "--$option=" | sed -n "s/^[+=]--$option=\([^:]*\):*/\1/p" > offered
        run grep -vxFf offered table
        [ -z "$output" ] || fail "--$option: $output"
        n=$((n + $(wc -l < table)))
    done
    [ $n -gt 20 ]
}

@test "words before the last are taken as getopt takes them" {
    run -0 candidates dsgd-ps -qp k-b
    assert_output $'+k-batch-sync:\n+k-batch-async:'
    run -0 candidates dsgd-ps -qpk-b
    assert_output $'+-qpk-batch-sync:\n+-qpk-batch-async:'
    run -0 candidates dsgd-ps --pol k-s
    assert_output '+k-sync:'
    run -0 candidates dsgd-ps -x -p k-s
    assert_output ''
    run -0 candidates dsgd-shard -- --inf
    assert_output '@files '
    run -0 candidates dsgd-trace -n 5 sample exp:
    assert_output '+exp:mean='
    run -0 candidates dsgd-trace summary --pr
    assert_output '+--price='
    run -0 candidates dsgd-ps -p adasync:k-sync,floor=1,K
    assert_output $'+adasync:k-sync,floor=1,K0=\n+adasync:k-sync,floor=1,Kmax='
    run -0 candidates dsgd-plan -d 0-3=shifted-exp:shift=1s,
    assert_output '+0-3=shifted-exp:shift=1s,mean='
    run -0 candidates dsgd-eval --scores=auc,f
    assert_output '=--scores=auc,f1'
    run -0 candidates dsgd-worker -d empirical:x
    assert_output '@files empirical:'
    run -0 candidates dsgd-worker -c ''
    assert_output $'+unix:\n+tcp:\n+tls:\n+@'
    run -0 candidates "$top_builddir/bin/dsgd-ps" -m h
    assert_output $'=hinge\n=help'
    run -0 candidates ./no-such-program -p k
    assert_output ''
}

@test "every awk reads --help alike" {
    local awk line n=0
    for awk in mawk gawk original-awk 'busybox awk'; do
        command -v "${awk%% *}" > /dev/null || continue
        for line in 'dsgd-trace ' 'dsgd-ps -p adasync:k-sync,K'; do
            IFS=' ' read -r -a words <<< "$line"
            [[ $line != *' ' ]] || words+=('')
            # shellcheck disable=SC2086 # a command and its argument
            $awk -f "$folder/candidates.awk" -- "${words[@]}" >> "$n"
        done
        [ -s "$n" ]
        cmp 0 "$n"
        n=$((n + 1))
    done
    [ $n -gt 0 ]
}

@test "bash completes options, values, verbs, commands and files" {
    installed dsgd.bash > dsgd.bash
    cat > rc <<'X'
source dsgd.bash
show() { printf '%s\n' "$READLINE_LINE" >> shown; READLINE_LINE=; }
bind '"\C-t": insert-completions'
bind -x '"\C-g": show'
X
    {
        printf '%s\x14\x07' 'dsgd-ps -p k-b' 'dsgd-ps --policy=k-s' 'dsgd-ps --lo' \
            "dsgd-ps --exec='a -b' -p k-b" 'dsgd-trace f' 'dsgd-trace summary a' 'dsgd-shard --labels=a' \
            'dsgd-ps -l unix:a' 'dsgd-plan -d 0-3=empirical:a' 'dsgd-ps -x dsgd-work'
    } > typed
    INPUTRC=/dev/null bash --noprofile --rcfile rc -i < typed 2> /dev/null
    diff - <(sed 's/ *$//' shown) <<'X'
dsgd-ps -p k-batch-async: k-batch-sync:
dsgd-ps --policy=k-sync:
dsgd-ps --loss-command= --loss-timeout= --lossless
dsgd-ps --exec='a -b' -p k-batch-async: k-batch-sync:
dsgd-trace fit
dsgd-trace summary a\ file afolder another
dsgd-shard --labels=a\ file afolder another
dsgd-ps -l unix:a\ file afolder another
dsgd-plan -d 0-3=empirical:a\ file afolder another
dsgd-ps -x dsgd-worker
X
}

@test "zsh completes options, values, verbs, commands and files" {
    command -v zsh > /dev/null || skip "no zsh"
    mkdir functions
    installed _dsgd > functions/_dsgd
    zsh -f "$top_srcdir/tests/lib/zsh-complete" "$PWD/functions" > shown <<'X'
dsgd-ps -p k-b
dsgd-ps --policy=k-s
dsgd-ps --lo
dsgd-ps --exec='a -b' -p k-b
dsgd-trace f
dsgd-trace summary a
dsgd-shard --labels=a
dsgd-ps -l unix:a
X
    diff - <(sed 's/ *$//' shown) <<'X'
dsgd-ps -p k-batch-async: k-batch-sync:
dsgd-ps --policy=k-sync:
dsgd-ps --loss-command= --loss-timeout= --lossless
dsgd-ps --exec='a -b' -p k-batch-async: k-batch-sync:
dsgd-trace fit
dsgd-trace summary a\ file afolder another
dsgd-shard --labels=a\ file --labels=afolder --labels=another
dsgd-ps -l unix:a\ file unix:afolder unix:another
X
}

@test "fish completes options, values, verbs, commands and files" {
    command -v fish > /dev/null || skip "no fish"
    for program in $programs; do
        installed dsgd.fish > "$program.fish"
    done
    cat > script <<'X'
for file in *.fish
    source ./$file
end
while read -l line
    echo $line '>' (complete -C $line | string replace -r '\t.*' '')
end
X
    HOME=$PWD fish --private --no-config script > shown <<'X'
dsgd-ps -p k-b
dsgd-ps --policy=k-s
dsgd-ps --lo
dsgd-ps --exec='a -b' -p k-b
dsgd-trace f
dsgd-trace summary a
dsgd-shard --labels=a
dsgd-ps -l unix:a
dsgd-ps -x dsgd-work
X
    diff - shown <<'X'
dsgd-ps -p k-b > k-batch-sync: k-batch-async:
dsgd-ps --policy=k-s > --policy=k-sync:
dsgd-ps --lo > --loss-command= --lossless --loss-timeout=
dsgd-ps --exec='a -b' -p k-b > k-batch-sync: k-batch-async:
dsgd-trace f > fit
dsgd-trace summary a > a file afolder/ another
dsgd-shard --labels=a > --labels=a file --labels=afolder/ --labels=another
dsgd-ps -l unix:a > unix:a file unix:afolder/ unix:another
dsgd-ps -x dsgd-work > dsgd-worker
X
}
