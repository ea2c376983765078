#!/usr/bin/env bats
# Which labels fit which loss, from the file to the predictions.

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# Trains on one file of 12-label-sets; the model is `model`.
#   train MODEL FILE
train() {
    dsgd-ps -q -m "$1" -J 20 -o model -x "dsgd-worker -q $(data "12-label-sets/$2")"
}

@test "two classes give the same weights however they are spelled" {
    for file in zero-one plus-minus float; do
        train logistic "$file.svm"
        tail -c 12 model > "$file.weights" # two features and the bias
    done
    run -0 cmp zero-one.weights plus-minus.weights
    run -0 cmp zero-one.weights float.weights
}

@test "predictions are spelled as the training data wrote the labels" {
    while read -r file labels; do
        train logistic "$file.svm"
        run -0 dsgd-eval -m model --predict "$(data "12-label-sets/$file.svm")"
        assert_equal "${lines[*]}" "$labels"
    done <<'X'
zero-one 1 0 1 0
plus-minus +1 -1 +1 -1
word spam ham spam
X
}

@test "a third label is refused with its place by the models of two classes" {
    for model in logistic hinge; do
        while read -r place; do
            run ! --separate-stderr train "$model" "${place%%:*}"
            assert_regex "$stderr" "$place"
            assert_equal "$output" ''
            assert_not_exists model
        done <<'X'
three.svm:3: label 3: more than two classes
mixed.svm:3: label -1: more than two classes
half.svm:3: label 0: more than two classes
X
    done
}

@test "any finite numbers are targets of least squares, words are not" {
    for file in half three; do
        train least-squares "$file.svm"
        run -0 dsgd-eval -m model "$(data "12-label-sets/$file.svm")"
    done
    rm model
    run ! --separate-stderr train least-squares word.svm
    assert_regex "$stderr" 'word.svm:1: label spam: not a number'
    assert_not_exists model
}

@test "softmax takes two classes, three, and words" {
    for file in zero-one three word; do
        train softmax "$file.svm"
        run -0 dsgd-eval -m model "$(data "12-label-sets/$file.svm")"
    done
}

@test "shards whose labels disagree are refused when the second joins" {
    run -3 --separate-stderr dsgd-ps -q -P 2 -m logistic -J 20 -o model \
        -x "dsgd-worker -q $(data 12-label-sets/zero-one.svm)" \
        -x "dsgd-worker -q $(data 12-label-sets/plus-minus.svm)"
    assert_regex "$stderr" 'more than two classes'
    assert_not_exists model
}

@test "what was trained until it separates the rows is right on rows of any width" {
    dsgd-ps -q -m logistic -J 50 -o model -x "dsgd-worker $(data 13-test-width/train.svm)"
    run -0 dsgd-eval -m model "$(data 13-test-width/narrow.svm)"
    assert_line --index 1 --regexp $'\t0$'
    dsgd-eval -m model "$(data 13-test-width/narrow.svm)" > narrow.tsv
    run -0 --separate-stderr dsgd-eval -m model "$(data 13-test-width/wide.svm)"
    assert_equal "$output" "$(cat narrow.tsv)"
    run -0 dsgd-eval -q -m model "$(data 13-test-width/unseen.svm)"
    assert_line --index 1 --regexp $'\t0.333333333333333'
}
