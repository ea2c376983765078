#!/usr/bin/env bats
# share/experiments: the paper's figures, made again.
# bats file_tags=slow,plain

# One seed and few updates of all, as installed, into $BATS_FILE_TMPDIR/figures.
setup_file() {
    load lib/common.bash
    cd "$BATS_FILE_TMPDIR" || return
    # shellcheck disable=SC2154 # set by common.bash
    alone make -s -C "$top_builddir" DESTDIR="$PWD/to" pkgdatadir=/dsgd \
        install-dist_experimentsDATA install-dist_experimentsSCRIPTS install-dist_plotDATA install-dist_sampledataDATA
    find to | sort > before
    makefile=to/dsgd/experiments/Makefile
    experiments figures/fig6.png seeds=1 updates=300 fig5.P=2 fig6.K=2 > log 2>&1 || { cat log >&3; return 1; }
    experiments all seeds=1 updates=300 fig5.P=2 fig6.K=2 kinds=svg >> log 2>&1 || { cat log >&3; return 1; }
}

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    made=$BATS_FILE_TMPDIR/figures
}

# Apart from the make that runs the tests.
alone() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "$@"
}

experiments() {
    alone make -f "${makefile-$top_srcdir/share/experiments/Makefile}" BIN= "$@"
}

@test "figures 5 and 6 have the paper's numbers, within 2 %" {
    run -0 experiments compare fig5.P=20 fig6.K='1 10'
    run -0 awk -F '\t' '$8 == "yes" { n[$1]++ } END { print n["fig5"], n["fig6"] }' <<< "$output"
    assert_output '3 12'
}

@test "a number that is off is found" {
    run -2 experiments compare fig5.P=20 fig6.K=1 updates=1000 law.shifted=exp:mean=1s
    assert_line --regexp $'^fig5\tshifted\tsync/async\t20\t46.0\t[67][0-9.]+\t1.[0-9]+\tNO$'
    assert_line --regexp $'^fig6\tshifted\tk-batch-async\t1\t200\t.*\tNO$'
}

@test "every figure has its table, and its picture where gnuplot is" {
    local n
    for n in 5 6 7 8 9 10 11 12; do
        awk -F '\t' '{ if (columns && NF != columns) exit 1; columns = NF } END { exit NR < 3 }' "$made/fig$n.tsv" ||
            fail "fig$n.tsv is no table"
        if command -v gnuplot > /dev/null; then
            grep -q "Fig. $n: " "$made/fig$n.svg" || fail "fig$n.svg does not have its title"
        fi
    done
    if command -v gnuplot > /dev/null; then
        run -0 head -c 4 "$made/fig6.png"
        assert_output $'\x89PNG'
    fi
    run ! grep -i -e warning -e error "$BATS_FILE_TMPDIR/log"
    [ -z "$(find "$made" -name '*.part' -o -name '*.models' -o -name '*.log')" ]
}

@test "without gnuplot there are numbers, and a line that says so" {
    run -0 experiments gnuplot= fig7 updates=300
    assert_line 'figures/fig7.tsv: no picture without gnuplot (Debian package gnuplot-nox)'
    run -0 ls figures
    assert_output $'fig7.tsv\nruns'
}

@test "what is there is not made again" {
    experiments fig7 gnuplot= updates=300
    rm figures/fig7.tsv figures/runs/exp_8_async.pace
    touch -d '1 hour ago' figures/runs/*
    experiments fig7 gnuplot= updates=300
    run -0 find figures -type f -mmin -30 -printf '%f '
    assert_output 'fig7.tsv exp_8_async.pace '
}

@test "installed, they do without the source and write nothing beside themselves" {
    cd "$BATS_FILE_TMPDIR"
    diff before <(find to | sort)
    [ -x to/dsgd/experiments/validate ]
}

@test "a step that looks at staleness is steady where a fixed one swings" {
    # The steepest rise between two snapshots in the second half, as a ratio.
    run -0 awk -F '\t' '
        $2 > 1000 { r = $4 / before[$1]; if (r > rise[$1]) rise[$1] = r }
        { before[$1] = $4 }
        END { print rise["fixed"], rise["variable"]; exit !(rise["fixed"] > 1.5 && rise["variable"] < 1.3) }' "$made/fig9.tsv"
}

@test "k-batch-async is sooner than k-async by what the theory says" {
    # Time to a loss of 1: (P / K) (H_P - H_{P-K}) = 1.79.
    run -0 awk -F '\t' '
        NR > 1 && $4 <= 1 && !($1 in time) { time[$1] = $3 }
        END { r = time["k-async.8"] / time["k-batch-async.8"]; print r; exit !(r > 1.5 && r < 2.1) }' "$made/fig10.tsv"
}

@test "bytes of CIFAR-10 become grey values" {
    # One record: label 7, red 255, green 0 but the second pixel, blue 255 in the last pixel.
    awk 'BEGIN {
        printf "7"
        for (i = 0; i < 3072; i++)
            printf " %d", i < 1024 ? 255 : i == 1025 ? 255 : i == 3071 ? 255 : 0
        print ""
    }' | awk -f "$top_srcdir/share/experiments/grey.awk" > row
    run -0 awk -F , '{ print NF, $1, $2, $1024, $1025 }' row
    assert_output '1025 0.2989 0.8859 0.4129 7'
}

@test "a folder without the data sets is refused" {
    run -2 experiments DATA="$BATS_TEST_TMPDIR" fig8
    assert_output --partial 'has neither train-images-idx3-ubyte nor data_batch_1.bin'
}

# bats test_tags=data
@test "MNIST and CIFAR-10 are taken from a folder that has them" {
    [ -d "${DSGD_DATA-}/mnist-10k" ] || skip 'data: DSGD_DATA names no folder with mnist-10k'
    run -0 experiments DATA="$DSGD_DATA" seeds=1 fig8.options='-P 8 -d exp:mean=1s -b 1 -e 0.01 -J 20 -S 10' \
        fig9.options='-P 40 -p async -d exp:mean=20s -b 250 -J 20 -S 10' figures/fig8.tsv figures/fig9.tsv
    [ "$(find figures/runs -name '*.shard' -printf '%f\n' | sort | tr '\n' ' ')" = 'cifar.shard mnist.shard ' ]
    run -0 dsgd-shard --info figures/runs/mnist.shard figures/runs/cifar.shard
    assert_line --regexp 'mnist.shard.*10000.*784'
    assert_line --regexp 'cifar.shard.*1000.*1024'
}
