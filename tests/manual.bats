#!/usr/bin/env bats
# The manual says what the programs do: options, defaults, choices; its examples run.
#
# In the pages an option is an item `.It Fl b , Fl -batch Ns = Ns Ar B`; its default is the argument
# of the macro behind a line `Default:`. In EXAMPLES, commands stand in .Bd blocks behind "$ "; a
# line that ends in a backslash or a bar goes on in the next.
# bats file_tags=plain

load lib/common

programs='dsgd-eval dsgd-plan dsgd-ps dsgd-shard dsgd-sim dsgd-trace dsgd-worker'
pages='dsgd.7 dsgd-eval.1 dsgd-files.5 dsgd-formats.5 dsgd-launch.7 dsgd-plan.1 dsgd-protocol.7 dsgd-ps.1 dsgd-sets.7 dsgd-shard.1 dsgd-sim.1 dsgd-trace.1 dsgd-worker.1'

setup() {
    man=$top_srcdir/man
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    leave_nothing
}

# "batch b B 32": long name, letter, argument, default of each option that --help shows; "-" is none.
help_options() {
    "$1" --help | awk '
        function flush(    at, text, name, letter, value) {
            if (entry == "") return
            letter = match(entry, /^ *-[A-Za-z0-9],/) ? substr(entry, RSTART + RLENGTH - 2, 1) : "-"
            match(entry, /--[A-Za-z0-9-]+/)
            name = substr(entry, RSTART + 2, RLENGTH - 2)
            text = substr(entry, RSTART + RLENGTH)
            value = match(text, /^=[^ ]+/) ? substr(text, 2, RLENGTH - 1) : "-"
            at = match(text, /\(default: .*\)/)
            print name, letter, value, at ? substr(text, RSTART + 10, RLENGTH - 11) : "-"
            entry = ""
        }
        /^ +(-[A-Za-z0-9], )?--/ { flush(); entry = $0; next }
        substr($0, 1, 30) ~ /^ +$/ && entry != "" { sub(/^ +/, " "); entry = entry $0; next }
        { flush() }
        END { flush() }' | sort
}

# The same of a page.
page_options() {
    awk '
        function flush() {
            if (name != "") print name, letter, value, def
            name = ""
        }
        /^\.Sh/ { flush(); on = $2 == "OPTIONS" }
        !on { next }
        /^\.It Fl/ {
            flush()
            name = letter = value = def = "-"
            for (i = 2; i <= NF; i++) {
                if ($i != "Fl" && $(i - 1) == "Fl" && $i ~ /^-/) name = substr($i, 2)
                if ($i != "Fl" && $(i - 1) == "Fl" && $i !~ /^-/) letter = $i
                if ($(i - 1) == "Ar") value = $i
            }
            next
        }
        at_default { sub(/^\.(Cm|No) /, ""); sub(/ [.]$/, ""); def = $0; at_default = 0 }
        $0 == "Default:" { at_default = 1 }
        END { flush() }' "$man/$1.1" | sort
}

@test "every option of --help is in the page with its default, and no other" {
    for program in $programs; do
        help_options "$program" > shown
        page_options "$program" > written
        diff -u --label "$program --help" --label "$program.1" shown written
        mapfile -t < shown
        [ "${#MAPFILE[@]}" -ge 4 ]
    done
}

# The names that stand in a page as choices: `.It Cm NAME , NAME` or `.Cm NAME`.
page_choices() {
    awk '
        /^\.(It )?Cm / {
            at = $1 == ".It" ? 3 : 2
            print $at
            for (i = at; i < NF; i++)
                if ($i == ",") print $(i + 1)
        }' "$man/$1.1" | sort -u
}

@test "every choice that an option's help lists is in the page" {
    local program option checked=0
    for program in $programs; do
        for option in $("$program" --help | tr '\n' ' ' | sed 's/ --/\n--/g' |
            sed -n "s/^--\([a-z-]*\)=.*or *'help'.*/\1/p"); do
            "$program" "--$option=help" | awk '/^[^ ]/ { print $1 }'
        done | sort -u > choices
        run -0 comm -23 choices <(page_choices "$program")
        assert_output ''
        mapfile -t < choices
        checked=$((checked + ${#MAPFILE[@]}))
    done
    [ "$checked" -gt 20 ]
}

@test "every verb of dsgd-trace and every column of its summary is in the page" {
    run -0 dsgd-trace help
    awk '/^[^ ]/ { print $1 }' <<< "$output" | sort > verbs
    [ -s verbs ]
    run -0 comm -23 verbs <(sed -n 's/^\.It Cm \([a-z]*\).*/\1/p' "$man/dsgd-trace.1" | sort)
    assert_output ''
    printf '# dsgd-trace 1 {}\ntime\tevent\tworker\tseq\tversion\titeration\tstaleness\trows\tcompute\tdelay\tloss\tnote\n' > empty
    run -0 dsgd-trace summary empty
    run -0 comm -23 <(tr '\t' '\n' <<< "${lines[0]}" | sort) <(page_choices dsgd-trace)
    assert_output ''
}

@test "pages have their sections and name no page that is not there" {
    for page in $pages; do
        sections='NAME DESCRIPTION EXAMPLES SEE.ALSO'
        [[ $page != *.1 ]] || sections="$sections SYNOPSIS OPTIONS EXIT.STATUS"
        mapfile -t < <(sed -n 's/^\.Sh //p' "$man/$page")
        for section in $sections; do
            [[ " ${MAPFILE[*]} " == *" ${section/./ } "* ]] || fail "$page has no $section"
        done
        while read -r name section; do
            [ -e "$man/$name.$section" ] || fail "$page names $name($section)"
        done < <(awk '$1 == ".Xr" && $2 ~ /^dsgd/ { print $2, $3 }' "$man/$page")
    done
}

@test "pages are clean mdoc" {
    command -v mandoc > /dev/null || skip "no mandoc"
    for page in $pages; do
        mandoc -T lint -W warning "$man/$page"
    done
}

# The commands of a page's examples, as a script. The page of the formats has some in every section.
commands() {
    awk '
        /^\.Sh/ { on = $2 == "EXAMPLES" || FILENAME ~ /formats/ }
        /^\.Bd/ { block = on }
        /^\.Ed/ { block = more = 0 }
        block && (/^\$ / || more) {
            line = $0
            sub(/^\$ /, "", line)
            more = line ~ /(\\e|\|)$/
            gsub(/\\&/, "", line)
            gsub(/\\\(aq/, "\047", line)
            gsub(/\\-/, "-", line)
            gsub(/\\e/, "\\", line)
            print line
        }' "$man/$1"
}

run_examples() {
    cp "$top_srcdir"/share/data/digits-*.csv.gz .
    commands "$1" > script
    [ -s script ]
    command -v gnuplot > /dev/null || sed -i '/dsgd-trace plot/d' script
    sh -eu script < /dev/null
}

@test "the examples of dsgd(7) run" {
    run_examples dsgd.7
}

@test "the examples of dsgd-shard(1) run" {
    run_examples dsgd-shard.1
}

@test "the examples of dsgd-worker(1) run" {
    run_examples dsgd-worker.1
}

@test "the examples of dsgd-ps(1) run" {
    run_examples dsgd-ps.1
}

@test "the examples of dsgd-eval(1) run" {
    run_examples dsgd-eval.1
}

@test "the examples of dsgd-plan(1) run" {
    run_examples dsgd-plan.1
}

@test "the examples of dsgd-sim(1) run" {
    run_examples dsgd-sim.1
}

@test "the examples of dsgd-trace(1) run" {
    run_examples dsgd-trace.1
}

@test "the examples of dsgd-files(5) run" {
    run_examples dsgd-files.5
}

# What they name and do not make themselves.
make_inputs() {
    local planes=3072 i
    load lib/rows.bash
    printf '\0\0\x08\x03\0\0\0\x08\0\0\0\1\0\0\0\2%s' abcdefghijklmnop | gzip > train-images-idx3-ubyte.gz
    printf '\0\0\x08\x01\0\0\0\x08\0\1\0\1\0\1\0\1' | gzip > train-labels-idx1-ubyte.gz
    mkdir cifar-10-batches-bin
    for i in 1 2 3 4; do
        printf "\\$i" && head -c $planes /dev/zero
    done > cifar-10-batches-bin/data_batch_1.bin
    tar czf cifar-10-binary.tar.gz cifar-10-batches-bin
    for i in 1 2 3 4; do
        printf "\\$i\\$i" && head -c $planes /dev/zero
    done > train.bin
    npy '|u1' '(2, 2)' '\1\2\3\4' > x.npy
    npy '|u1' '(2,)' '\1\0' > y.npy
    npy '<i2' '(2, 3)' '\1\0\2\0\0\0\3\0\4\0\1\0' > table.npy
    cp x.npy train_x.npy
    cp y.npy train_y.npy
    npy '|S3' '()' csr > format.npy
    npy '|u1' '(2,)' '\2\3' > shape.npy
    for i in data indices; do
        npy '|u1' '(2,)' '\1\2' > $i.npy
    done
    npy '|u1' '(3,)' '\0\1\2' > indptr.npy
    "$python" -m zipfile -c digits.npz x.npy y.npy
    "$python" -m zipfile -c sets.npz x.npy y.npy train_x.npy train_y.npy
    "$python" -m zipfile -c tfidf.npz indices.npy indptr.npy format.npy shape.npy data.npy
    for i in features sets; do
        "$python" "$top_srcdir/tests/lib/tensors.py" $i.safetensors x:BF16:2x2:1,2,3,4 y:U8:2:1,0 pixels:U8:2x1:1,2 class:I8:2:0,1
    done
}

@test "the examples of dsgd-launch(7) run" {
    export DSGD_LAUNCH=$top_srcdir/share/launch
    run_examples dsgd-launch.7
    assert_equal "$(ls grid | wc -l)" 6
}

@test "the examples of dsgd-formats(5) run, one for each format and more" {
    make_inputs
    run_examples dsgd-formats.5
    mapfile -t < <(grep dsgd-shard script)
    [ ${#MAPFILE[@]} -ge 18 ]
}

@test "dsgd-formats(5) has a section for every format" {
    for format in $(dsgd-shard -f help | awk '/^[^ ]/ && $1 != "auto" { print $1 }'); do
        grep -iE '^\.Sh ' "$man/dsgd-formats.5" | tr -d - | grep -qiwF "$format" || fail "$format"
        grep -q "^\.It .*\b$format\b.* Ta " "$man/dsgd-formats.5" || fail "$format"
    done
}

@test "the examples of dsgd-protocol(7) run" {
    run_examples dsgd-protocol.7
}
