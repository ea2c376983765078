# What tests that train on real data share.

# Every policy of the table as a SPEC, with 4 for the K, S or R that it takes.
every_policy() {
    dsgd-ps --policy=help | awk '
        /^[^ ]/ { if (name) print name; name = $1 }
        /^ +[KSR] .*required/ { name = name ":4" }
        /^ +family / { name = name ":k-batch-async,every=20ms" }
        END { print name }'
}

# Those of which it is known beforehand how many gradients so many updates have.
fixed_policies() {
    every_policy | grep -v '^adasync'
}

# Trains with 8 workers on $BATS_FILE_TMPDIR/shard-0 to shard-7 into $BATS_TEST_TMPDIR/model, until
# GRADIENTS were combined, K an update. STEP is that of one gradient: an update takes K times it, and a
# tenth of that in the last fifth, so that the model does not tell at which gradient the run ended. The
# delays see to it that under each policy every worker is fast at times.
#   train8 POLICY GRADIENTS STEP OPTION...
train8() {
    local policy=$1 gradients=$2 step=$3 k=1
    shift 3
    case $policy in
    sync) k=8 ;;
    k-*) k=${policy#*:} ;;
    esac
    step=$(awk -v k="$k" -v step="$step" -v n="$gradients" '
        BEGIN { printf "step:%g,factor=0.1,every=%d", k * step, n / k * 0.8 }')
    dsgd-ps -q -P 8 -p "$policy" -e "$step" -J $((gradients / k)) -o "$BATS_TEST_TMPDIR/model" \
        -x "dsgd-worker -q -d exp:mean=200us $BATS_FILE_TMPDIR/shard-%r" "$@"
}

# Fraction of rows that the model gets right.
#   accuracy DATA...
accuracy() {
    dsgd-eval -m "$BATS_TEST_TMPDIR/model" "$@" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print 1 - $at["error"] }'
}

# Fails unless the first number is at most DISTANCE from the second.
#   assert_near VALUE REFERENCE DISTANCE WHAT
assert_near() {
    echo "$4: $1, reference $2"
    awk -v a="$1" -v b="$2" -v d="$3" 'BEGIN { exit !(a != "" && b != "" && a - b <= d && b - a <= d) }' ||
        fail "$4: $1 is more than $3 from $2"
}

# The accuracy that scikit-learn reaches on the same rows; nothing where it is absent.
#   reference digits|fashion FOLDER LAMBDA
reference() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import sklearn' 2> /dev/null; then
            "$python" "$top_srcdir/tests/lib/reference.py" "$@"
            return
        fi
    done
}
