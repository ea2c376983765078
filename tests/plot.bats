#!/usr/bin/env bats
# dsgd-trace plot: what the programs write, as pictures.
# bats file_tags=slow,plain

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    leave_nothing
}

gnuplot_or_skip() {
    command -v gnuplot > /dev/null || skip 'no gnuplot'
}

simulate() {
    dsgd-sim -q --no-model -P 4 -p "$1" -d exp:mean=20ms -J 200 -t "$2"
}

curve() {
    printf 'iteration\ttime\tloss\terror\n0\t0\t%s\t0.9\n10\t1.5\t%s\t0.2\n' 2.3 "$1"
}

constants='--L 1 --c 0.05 --sigma2 4 --gap 2 --gamma 0.1 -b 1'

# A whole SVG that has each text.
assert_svg() {
    local file=$1 text
    shift
    head -n 1 "$file" | grep -q '^<?xml' || fail "$file: no SVG"
    tail -n 3 "$file" | grep -q '^</svg>' || fail "$file: not whole"
    if command -v xmllint > /dev/null; then
        xmllint --noout "$file"
    fi
    for text; do
        grep -qF ">$text<" "$file" || fail "$file: nothing says '$text'"
    done
}

@test "curves become lines over time, a name for each file" {
    gnuplot_or_skip
    curve 0.4 > one.tsv
    curve 0.5 > it\'s_two.tsv
    dsgd-trace plot one.tsv "it's_two.tsv" > out.svg
    assert_svg out.svg one "it's_two" 'time, s' 'mean loss of a row' 'Loss of the model over time'
    dsgd-trace plot --show error - < one.tsv -o error.svg
    assert_svg error.svg 'Error of the model over time'
}

@test "a trace becomes a timeline by worker and a histogram of staleness" {
    gnuplot_or_skip
    simulate k-async:2 run.trace
    dsgd-trace plot run.trace > both.svg
    assert_svg both.svg worker 'time, s' used cancelled update 'staleness of a gradient, updates' 'share of gradients, %'
    dsgd-trace plot --show staleness run.trace > one.svg
    assert_svg one.svg 'share of gradients, %'
    run ! grep -F '>worker<' one.svg
}

@test "delays become a histogram with the densities of laws, fitted or named" {
    gnuplot_or_skip
    simulate k-sync:2 run.trace
    dsgd-trace plot run.trace --show delays > fitted.svg
    assert_svg fitted.svg seen 'density, 1/ms' 'duration of a minibatch (computation and delay), ms'
    mapfile -t < <(grep -oE '>[a-z-]+:[a-z0-9]+=[^<]*<' fitted.svg | sort -u)
    [ ${#MAPFILE[@]} -eq 3 ]
    dsgd-trace delays run.trace > durations
    printf 'family\tspec\tloglik\texp\nconst\tconst:1\t0\nexp\texp:mean=0.0212345\t0\n' | sed 's/\texp$//' > fits.tsv
    dsgd-trace plot fits.tsv durations > named.svg
    assert_svg named.svg exp:mean=0.0212
}

@test "a plan becomes points, those that no other beats ringed, by what it knows" {
    gnuplot_or_skip
    dsgd-plan -P 4 -d exp:mean=20ms > plan
    dsgd-trace plot plan > staleness.svg
    assert_svg staleness.svg k-batch-async 'time of an update, s' 'mean staleness of a gradient, updates' \
        'no other is better in both'
    # shellcheck disable=SC2086
    dsgd-plan -P 4 -d exp:mean=20ms $constants > plan
    dsgd-trace plot plan > floor.svg
    assert_svg floor.svg 'floor of the bound of the loss above its least'
    # shellcheck disable=SC2086
    dsgd-plan -P 4 -d exp:mean=20ms $constants --target-gap 1.9 --price 1 2> err > plan
    dsgd-trace plot plan > cost.svg
    assert_svg cost.svg 'cost until the target (money of --price)' 'time until the target, s'
}

@test "dsgd-plan --curve prints bounds that fall to their floors, and they become lines" {
    # shellcheck disable=SC2086
    dsgd-plan -P 4 -d exp:mean=20ms $constants -p sync -p k-async:2 --curve > bounds
    # shellcheck disable=SC2086
    dsgd-plan -P 4 -d exp:mean=20ms $constants -p sync -p k-async:2 > plan
    awk -F '\t' 'FNR == 1 { file++; next }
        file == 1 { floor[$1] = $10 }
        file == 2 { if ($1 == was && !($4 < last && $3 > time)) exit 1
                    if ($1 == was && last == "") exit 1
                    was = $1; last = $4; time = $3; end[$1] = $4; n++ }
        END { exit !(n == 160 && end["sync"] < 1.1 * floor["sync"] && end["sync"] > floor["sync"] &&
                     end["k-async"] < 1.1 * floor["k-async"]) }' plan bounds
    run -2 dsgd-plan -P 4 -d exp:mean=20ms --curve
    assert_output --partial 'takes constants'
    run -2 dsgd-plan -P 4 -d exp:mean=20ms --curve --best --target-gap 1
    assert_output --partial 'goes neither with --best'
    gnuplot_or_skip
    dsgd-trace plot bounds > out.svg
    assert_svg out.svg sync k-async:2 'time, s' 'bound of the loss above its least'
}

@test "the name of the output says its kind, and what is none is refused" {
    gnuplot_or_skip
    curve 0.4 > one.tsv
    dsgd-trace plot one.tsv -o a.png
    run -0 head -c 4 a.png
    assert_output $'\x89PNG'
    dsgd-trace plot one.tsv -o a.pdf
    run -0 head -c 4 a.pdf
    assert_output '%PDF'
    run -2 dsgd-trace plot one.tsv -o a.gif
    assert_output --partial '.svg, .png or .pdf'
    assert_not_exist a.gif
}

@test "--ascii draws each kind as text of 79 columns" {
    gnuplot_or_skip
    curve 0.4 > one.tsv
    dsgd-plan -P 4 -d exp:mean=20ms > plan
    simulate k-sync:2 run.trace
    dsgd-trace plot --ascii one.tsv > curve.txt
    grep -q 'time, s' curve.txt
    dsgd-trace plot --ascii plan > plan.txt
    grep -q 'k-batch-async' plan.txt
    dsgd-trace plot --ascii --show delays run.trace > delays.txt
    grep -q 'density, 1/ms' delays.txt
    for file in curve.txt plan.txt delays.txt; do
        [ "$(awk '{ if (length > n) n = length } END { print n }' $file)" -le 79 ] || fail "$file"
    done
}

@test "a trace is drawn as text without gnuplot: every minibatch ends as it did" {
    printf '%s\n' '# dsgd-trace 1 {}' > t
    tr ' ' '\t' >> t << 'X'
time event worker seq version iteration staleness rows compute delay loss note
0 join 0 NA 0 NA NA NA NA NA NA NA
0 join 1 NA 0 NA NA NA NA NA NA NA
0 send 0 0 0 NA NA NA NA NA NA NA
0 send 1 0 0 NA NA NA NA NA NA NA
3 push 0 0 0 0 0 1 3 0 1 NA
3 update NA NA NA 1 NA NA NA NA 1 n=1
3 void 1 0 NA NA NA NA NA NA NA NA
3 cancelled 1 0 NA NA NA NA 3 0 NA NA
3 send 0 1 1 NA NA NA NA NA NA NA
3 send 1 1 1 NA NA NA NA NA NA NA
6 push 0 1 1 1 0 1 3 0 1 NA
6 stop NA NA NA NA NA NA NA NA NA end
X
    run -0 env PATH="$top_builddir/bin" dsgd-trace plot --ascii t
    assert_line --regexp '^worker 0  ={33}G={31,32}G$'
    assert_line --regexp '^worker 1  ={33}x'
    assert_line --regexp '^updates   {34}\|'
    assert_line --regexp '^ +0 #{50} 100.0$'
}

@test "without gnuplot a line says what to install" {
    curve 0.4 > one.tsv
    run -4 env PATH="$top_builddir/bin" dsgd-trace plot one.tsv -o a.svg
    assert_output --partial 'gnuplot-nox'
    [ "${#lines[@]}" -eq 1 ]
    assert_not_exist a.svg
}

@test "what is none of ours, and what does not go together, is refused" {
    curve 0.4 > one.tsv
    printf 'a,b\n1,2\n' > foreign.csv
    : > empty
    printf 'family\tspec\tloglik\nexp\texp:mean=1\t0\n' > fits
    simulate async run.trace
    run -3 dsgd-trace plot foreign.csv
    assert_output --partial 'foreign.csv:1: nothing that can be plotted'
    run -3 dsgd-trace plot empty
    run -2 dsgd-trace plot one.tsv run.trace
    assert_output --partial 'one.tsv is a curve and run.trace is a trace'
    run -2 dsgd-trace plot run.trace run.trace
    run -2 dsgd-trace plot fits
    assert_output --partial 'over durations'
    run -2 dsgd-trace plot --show staleness one.tsv
    assert_output --partial "--show 'staleness': not of a curve"
    run -2 dsgd-trace plot - - < one.tsv
    run -2 dsgd-trace summary run.trace run.trace
    run -2 dsgd-trace summary --ascii run.trace
    printf 'iteration\ttime\tloss\n0\tNA\tNA\n' > nothing.tsv
    run -3 dsgd-trace plot nothing.tsv
    assert_output --partial 'no row has a time and a number'
}
