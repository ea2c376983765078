# Faults that users of such programs met, from the file to the score, and their kin.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# A model of what was sharded into `s`.
#   train MODEL UPDATES
train() {
    dsgd-sim -q -m "$1" -P 1 -d const:1s -b 4 -e 0.5 -J "$2" -o model s
}

@test "line ends, marks and blanks change no score" {
    d=$(data 01-crlf-trailing-blanks)
    dsgd-shard -q -o s "$d/plain.svm"
    train logistic 5
    dsgd-eval -m model "$d/plain.svm" > plain
    dsgd-eval -m model "$d/crlf.svm" | cmp - plain
}

@test "a text is the same rows with every line end, mark and last line" {
    while IFS='|' read -r options first rest; do
        for mark in '' '\xef\xbb\xbf'; do
            for end in '\n' '\r\n'; do
                for last in '' "$end" "$end$end"; do
                    printf "$mark$first$end${rest//\~/$end}$last" > text
                    # shellcheck disable=SC2086 # the options, a word each
                    dsgd-shard -q -o "s'$mark$end$last'" --split sequential $options text
                done
            done
        done
        run -0 awk 'NR > 1 && !seen[$2, $NF]++' <(dsgd-shard --info s*)
        assert_equal "${#lines[@]}" 1
        rm s*
    done <<'X'
-f libsvm|1 1:2|0 1:3~1 2:4
-f csv --label-column y|y,"a"|1,2~0,"3"
-f tsv --label-column y|y\t"a"|1\t2~0\t3
--no-header --label-column 1|1,5|0,6
X
}

@test "text of another coding, with other line ends or bytes of 0 is refused, never rows" {
    printf '\xff\xfe1\0 \0001\0:\0002\0\n\0' > utf-16.svm
    printf '1 1:2\r0 1:3\r' > mac.svm
    printf '1 1:2\n0 1:\0003\n' > zero.svm
    printf 'y,a\r1,2\r0,3\r' > mac.csv
    printf 'y,a\n1,2\n0,\0003\n' > zero.csv
    for file in utf-16.svm mac.svm zero.svm; do
        refuse 3 "$file:" -f libsvm "$PWD/$file"
        refuse 3 "$file:" "$PWD/$file"
    done
    for file in mac.csv zero.csv; do
        refuse 3 "$file:" -f csv --label-column 1 "$PWD/$file"
    done
}

@test "a model knows where indices start: what is said once holds for the test file" {
    d=$(data 04-index-base)
    dsgd-shard -q -o s --zero-based "$d/train.svm"
    train logistic 50
    run -0 rows --meta features model
    assert_output 2
    run -0 dsgd-eval -m model "$d/test.svm"
    assert_equal "$(cut -f 4 <<< "${lines[1]}")" 0
    run -0 dsgd-eval -m model --predict "$d/test.svm"
    assert_output "$(cut -d ' ' -f 1 "$d/test.svm")"
    refuse 3 'train.svm:1: feature index 0: indices start at 1' "$d/train.svm"
    run -3 dsgd-sim -q -m logistic -P 1 -d const:1s -J 1 -o none "$d/train.svm"
    [[ $output == *'train.svm:1: feature index 0'* ]] || fail "$output"
}

@test "what is almost an index or a number is refused, not read in part" {
    for word in +1:1 1e0:1 0x1:1 1.0:1 1,0:1 -0:1 1:0x1 1:1_0 '1:1e' 1:--1 1:1d 1:1f 1:0,5 1:1.000.000 1:½ 99999999999:1 \
        18446744073709551617:1 1:1e39 1:-1e39; do
        printf '1 1:1\n0 %s\n' "$word" > rows.svm
        try dsgd-shard -o s rows.svm
        [[ $status = 3 && $stderr == "dsgd-shard: rows.svm:2: "* && ! -e s ]] || fail "$word: $status $stderr"
    done
}

@test "a command that fails before a pipe is no empty data set" {
    run -3 bash -o pipefail -c 'false | dsgd-shard -o s -'
    assert_output 'dsgd-shard: <stdin>: no rows'
    for packer in gzip bzip2 xz zstd lz4; do
        command -v $packer > /dev/null || continue
        run -3 bash -c "false | $packer -c | dsgd-shard -o s -"
        assert_output 'dsgd-shard: <stdin>: no rows'
    done
    tar cf none.tar --files-from /dev/null
    refuse 3 'none.tar: no rows' "$PWD/none.tar"
    assert_file_not_exists s
}

@test "of the members of an archive plain files alone are data, and one that is bad names itself" {
    mkdir -p deep/er
    printf '1 1:1\n' > deep/er/a.svm
    printf '0 1:2\n' > b.svm
    ln deep/er/a.svm hard.svm
    ln -s b.svm soft.svm
    mkfifo fifo
    : > empty.svm
    printf 'junk' > ._b.svm
    tar cf all.tar deep hard.svm b.svm soft.svm fifo empty.svm ._b.svm
    run -0 --separate-stderr dsgd-shard -o s --split sequential all.tar
    assert_equal "${#stderr_lines[@]}" 2
    run -0 rows s
    assert_output $'1 1:1\n0 1:2'
    printf '0 1:2\n1 1:x\n' > b.svm
    for pack in 'tar cf -' 'zip -q -' 'tar czf -'; do
        command -v "${pack%% *}" > /dev/null || continue
        $pack deep/er/a.svm b.svm > bad
        refuse 3 "bad(b.svm):2: value 'x' is not a number" "$PWD/bad"
        refuse 3 "<stdin>(b.svm):2: value 'x' is not a number" - < bad
    done
}

@test "shards and the file they are of score alike, however many there are" {
    ten=$(data 15-shards-lose-nothing/rows.svm)
    dsgd-shard -q -o s "$ten"
    train logistic 20
    dsgd-eval -m model "$ten" > whole
    dsgd-shard -q -n 3 -s 5 -o 'three-%d' "$ten"
    dsgd-eval -m model three-0 three-1 three-2 > parts
    paste whole parts | awk 'NR == 2 { exit !($4 == $8 && ($3 - $7) ^ 2 < 1e-20) }' || fail "$(cat whole parts)"
}

@test "in a locale with decimal commas every program writes and reads the same bytes" {
    comma=$(comma_locale)
    [ -n "$comma" ] || skip "no locale with a decimal comma"
    d=$(data 22-decimal-comma)
    for locale in C "$comma"; do
        mkdir "$locale" && cd "$locale"
        export LC_ALL=$locale
        for input in rows.svm rows.csv; do
            dsgd-shard -q -o $input.s --label-column label "$d/$input" 2> /dev/null || dsgd-shard -q -o $input.s "$d/$input"
            dsgd-sim -q -m logistic -P 2 -p k-sync:1 -d exp:mean=1.5ms -e 0.25 --l2 1e-3 -J 5 -t $input.trace -o $input.m $input.s
            dsgd-eval -m $input.m --scores log-loss "$d/$input" > $input.score
            dsgd-eval -m $input.m --json "$d/$input" > $input.json
            dsgd-trace summary $input.trace > $input.summary
            dsgd-trace timeline $input.trace > $input.timeline
        done
        dsgd-trace sample pareto:scale=0.5ms,shape=2.5 -n 20 > sample
        dsgd-trace fit sample 2> /dev/null > fit
        dsgd-plan -P 4 -d exp:mean=0.5s > plan 2> /dev/null
        run -2 dsgd-sim --no-model -P 1 -d const:0,5s -J 1
        cd ..
    done
    unset LC_ALL
    diff -r C "$comma"
    run grep -lE '^[^{[]*[0-9],[0-9]' C/*.score C/*.summary C/sample C/fit C/plan
    assert_output ''
    LC_ALL=$comma dsgd-eval -m C/rows.svm.m --scores log-loss "$d/rows.svm" | cmp - C/rows.svm.score
}

@test "data out of a pipe are scored as those of the file, and stdout holds data alone" {
    d=$(data 23-standard-input)
    dsgd-shard -o s "$d/rows.svm"
    train logistic 5
    dsgd-eval -m model "$d/rows.svm" > named
    for name in rows.svm rows.svm.gz rows.zip; do
        dsgd-eval -m model - < <(cat "$d/$name") | cmp - named
        dsgd-eval -m model - < "$d/$name" | cmp - named
    done
    { head -n 1 "$d/rows.svm" && tail -n +2 "$d/rows.svm"; } | dsgd-eval -m model --predict - > predicted
    dsgd-eval -m model --predict "$d/rows.svm" | cmp - predicted
    dsgd-shard -v -o - "$d/rows.svm" 2> talk > stream
    [ -s talk ]
    cmp stream s
    run -3 dsgd-eval -m model - < <(:)
    assert_output 'dsgd-eval: <stdin>: no rows'
}
