#!/usr/bin/env bats
# The programs of share/external, each against dsgd's own softmax.
# bats file_tags=slow,plain

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    programs=$top_srcdir/share/external
    export PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
}

teardown() {
    leave_nothing
}

# Sets $python to one that has the module, or skips.
python_with() {
    for python in python3 /usr/bin/python3; do
        ! "$python" -c "import $1" 2> /dev/null || return 0
    done
    skip "no Python with $1"
}

# Two shards of digits, dense; two with the same rows stored sparse, whose rows have weights.
shards() {
    gzip -dc "$top_srcdir/share/data/digits-train.csv.gz" | head -n 200 > digits.csv
    dsgd-shard -q -n 2 -o dense-%d --no-header --label-column 65 --scale maxabs digits.csv
    awk -F, '{ printf "%s", $65; for (i = 1; i < 65; i++) if ($i != 0) printf " %d:%g", i, $i / 16; print "" }' \
        digits.csv > digits.svm
    dsgd-shard -q -n 2 -o sparse-%d --balance --features 64 digits.svm
}

# Trains on SHARDS by a program and by dsgd itself: the same start, sync, so the same models but for rounding.
#   as_ours SHARDS START PROGRAM
as_ours() {
    local loss
    dsgd-ps -q -m "external:$2" -P 2 -b 8 -J 5 -e 0.5 -t trace -o model -x "dsgd-worker --external '$3' $1-%r"
    dsgd-ps -q -m softmax -P 2 -b 8 -J 5 -e 0.5 -t ours.trace -o ours -x "dsgd-worker $1-%r"
    for file in model ours; do
        # The parameters are the last bytes of both: 10 times 64 weights, 10 biases.
        tail -c 2600 $file | od -An -v -t f4 | tr -s ' ' '\n' | grep . > $file.txt
    done
    paste model.txt ours.txt | awk '
        { d = $1 > $2 ? $1 - $2 : $2 - $1; if (d > most) most = d; if ($2 < -0.01 || $2 > 0.01) moved++ }
        END { print "largest difference", most; exit !(NR == 650 && moved > 100 && most < 1e-6) }'
    # Losses, update by update.
    paste <(grep $'\tpush\t' trace | sort -k 3n,4n | cut -f 11) <(grep $'\tpush\t' ours.trace | sort -k 3n,4n | cut -f 11) |
        awk '{ d = $1 - $2 } d > 1e-5 || d < -1e-5 { exit 1 } END { exit NR != 10 }'
}

@test "softmax-awk computes what softmax does, on dense and sparse rows, with weights and without" {
    shards
    "$programs/softmax-awk" --start 64 10 > start
    as_ours dense start "$programs/softmax-awk"
    as_ours sparse start "$programs/softmax-awk"
}

@test "softmax-numpy computes what softmax does, on dense and sparse rows, with weights and without" {
    python_with numpy
    shards
    "$python" "$programs/softmax-numpy" --start 64 10 > start
    as_ours dense start "$python $programs/softmax-numpy"
    as_ours sparse start "$python $programs/softmax-numpy"
}

@test "torch-module trains any module; softmax as one is what softmax does" {
    python_with torch
    shards
    "$python" "$programs/torch-module" "$programs/net.py:Softmax" --start > start
    as_ours sparse start "$python $programs/torch-module $programs/net.py:Softmax"
    "$python" "$programs/torch-module" "$programs/net.py:Net" --start --seed 2 > start
    dsgd-ps -q -m external:start -P 1 -b 32 -J 100 -e 0.3 -t trace -o model -S 100 \
        -x "dsgd-worker --external '$python $programs/torch-module $programs/net.py:Net' dense-0" > /dev/null
    run -0 awk -F '\t' '$2 == "push" { n++; first += n <= 10 ? $11 : 0; last += n > 90 ? $11 : 0 }
        END { print first / 10, last / 10; exit !(last < first / 4) }' trace
    grep -aq '"conv.weight":{"dtype":"F32","shape":\[8,1,3,3\]' model
}

@test "an awk script that fails ends, and its words are shown" {
    shards
    "$programs/softmax-awk" --start 64 10 > start
    printf '#!/bin/sh\necho cannot >&2\nexit 3\n' > awk
    chmod +x awk
    PATH=$PWD:$PATH run -5 dsgd-ps -q -m external:start -P 1 -J 1 -o model \
        -x "dsgd-worker --external-restarts 0 --external '$programs/softmax-awk' dense-0"
    assert_line '0: cannot'
    assert_line --partial "external program '$programs/softmax-awk' ended with status"
}
