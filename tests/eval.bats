#!/usr/bin/env bats
# dsgd-eval: models and streams of models on data, with models written here byte by byte.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/models.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# A logistic model of four features that separates the rows of 13-test-width.
separating() {
    model logistic "${1-7}" "$two" 1 1 0 0 0
}

# Whether column $2 of the last line is the number $1, to nearly all digits.
last_is() {
    awk -F '\t' -v want="$1" -v c="$2" '{ got = $c } END { d = got - want; exit !(got != "NA" && d * d < 1e-24) }'
}

@test "a model gets one row with its iteration, time, mean loss and fraction of errors" {
    separating > m
    run -0 --separate-stderr dsgd-eval -m m "$(data 13-test-width/narrow.svm)"
    assert_equal "$stderr" ''
    assert_equal "${#lines[@]}" 2
    assert_line --index 0 $'iteration\ttime\tloss\terror'
    assert_line --index 1 --regexp $'^7\t0.25\t0.3[0-9]*\t0$'
    last_is "$(awk 'BEGIN { printf "%.17g", (2 * log(1 + exp(-1)) + log(1 + exp(-0.5))) / 3 }')" 3 <<< "$output"
}

@test "a stream of models gets a row each, in its order, also with --json" {
    { separating 0; model logistic 5 "$two" 1 -1 0 0 0; separating 9; } > stream
    run -0 dsgd-eval "$(data 13-test-width/narrow.svm)" < stream
    assert_equal "$(cut -f 1,4 <<< "$output")" $'iteration\terror\n0\t0\n5\t1\n9\t0'
    run -0 dsgd-eval --json "$(data 13-test-width/narrow.svm)" < stream
    assert_equal "${#lines[@]}" 3
    assert_line --index 1 --regexp '^\{"schema":"dsgd-eval/1","iteration":5,"time":0.25,"loss":1.2[0-9]*,"error":1\}$'
}

@test "a row is there as soon as its model came, before the next one" {
    local row
    mkfifo in out
    dsgd-eval "$(data 13-test-width/narrow.svm)" < in > out 2> err 3>&- &
    exec 5> in 6< out
    for i in 1 2 3; do
        separating "$i" >&5
        [ "$i" -gt 1 ] || read -r -t 20 row <&6
        read -r -t 20 row <&6
        assert_regex "$row" "^$i"$'\t'
    done
    exec 5>&-
    wait "$!"
    run -0 cat err
    assert_output ''
}

@test "rows narrower than the model are complete rows" {
    separating > m
    run -0 --separate-stderr dsgd-eval -m m "$(data 13-test-width/narrow.svm)"
    assert_equal "$stderr" ''
    last_is 0 4 <<< "$output"
}

@test "rows wider than the model score as without the rest, with one warning that names the place" {
    separating > m
    dsgd-eval -m m "$(data 13-test-width/narrow.svm)" > narrow.tsv
    run -0 --separate-stderr dsgd-eval -m m "$(data 13-test-width/wide.svm)"
    assert_equal "$output" "$(cat narrow.tsv)"
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "$stderr" 'wide.svm:2: .*9'
}

@test "a label that the model never saw is named once, counts as wrong and has no loss" {
    { separating 1; separating 2; } > stream
    run -0 --separate-stderr dsgd-eval "$(data 13-test-width/unseen.svm)" < stream
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "$stderr" 'unseen.svm:3: label 7: '
    last_is "$(awk 'BEGIN { printf "%.17g", 1 / 3 }')" 4 <<< "$output"
    last_is "$(awk 'BEGIN { printf "%.17g", log(1 + exp(-1)) }')" 3 <<< "$output"
    printf '7 1:1\n8 1:1\n' > none.svm
    run -0 dsgd-eval -q none.svm < stream
    assert_line --index 1 $'1\t0.25\tNA\t1'
}

@test "labels are matched by value, not by how they are spelled" {
    separating > m
    run -0 --separate-stderr dsgd-eval -m m "$(data 12-label-sets/float.svm)"
    assert_equal "$stderr" ''
    last_is 0 4 <<< "$output"
}

@test "labels that are words are matched by name" {
    model logistic 1 '[["ham",null,"t:2",2],["spam",null,"t:1",1]]' 1 1 0 > m
    run -0 --separate-stderr dsgd-eval -m m "$(data 12-label-sets/word.svm)"
    assert_equal "$stderr" ''
    last_is 0 4 <<< "$output"
    run -0 --separate-stderr dsgd-eval -m m "$(data 12-label-sets/zero-one.svm)"
    assert_equal "${#stderr_lines[@]}" 2
    last_is 1 4 <<< "$output"
}

@test "a number among words is still found by its value" {
    printf '1.0 1:1\nham 1:1\n' > mixed.svm
    separating > m
    run -0 --separate-stderr dsgd-eval -m m mixed.svm
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "$stderr" 'mixed.svm:2: label ham: '
    last_is 0.5 4 <<< "$output"
}

@test "softmax is right where the label has the largest score" {
    model softmax 1 '[["0",0,"t:1",1],["1",1,"t:2",2],["7",7,"t:3",3]]' 3  1 0  0 1  -1 -1 > m
    printf '0 1:2\n1 2:2\n7 1:-2 2:-2\n1 1:2\n' > three.svm
    run -0 dsgd-eval -m m three.svm
    last_is 0.25 4 <<< "$output"
    run -0 dsgd-eval -m m --predict three.svm
    assert_output $'0\n1\n7\n0'
}

@test "least squares reports half the mean squared error as loss and the whole as error" {
    model least-squares 1 '[]' 1 2 0 > m
    printf '2.5 1:1\n-1 1:-1 2:5\n' > t.svm # scores 2 and -2
    run -0 dsgd-eval -m m t.svm
    last_is 0.3125 3 <<< "$output"
    last_is 0.625 4 <<< "$output"
    run -0 dsgd-eval -m m --predict t.svm
    assert_output $'2\n-2'
    run -3 --separate-stderr dsgd-eval -m m "$(data 12-label-sets/word.svm)"
    assert_equal "$output" ''
    assert_regex "$stderr" 'word.svm:1: label spam: not a number'
}

@test "--predict gives a label a row, as the training data wrote it, in the order of the data" {
    separating > m
    run -0 dsgd-eval -m m --predict "$(data 13-test-width/narrow.svm)" "$(data 12-label-sets/zero-one.svm)"
    assert_output $'+1\n-1\n+1\n+1\n-1\n+1\n-1'
    run -0 dsgd-eval -m m --predict -q "$(data 13-test-width/wide.svm)"
    assert_output $'+1\n-1\n+1'
    run -0 dsgd-eval -m m --predict --json "$(data 13-test-width/narrow.svm)"
    assert_output $'{"schema":"dsgd-eval-predict/1","label":"+1"}\n{"schema":"dsgd-eval-predict/1","label":"-1"}\n{"schema":"dsgd-eval-predict/1","label":"+1"}'
}

@test "shards and the raw file that they are made of score alike" {
    separating > m
    dsgd-shard -q -n 2 -o 's-%d' "$(data 13-test-width/train.svm)"
    dsgd-eval -m m "$(data 13-test-width/train.svm)" > raw
    run -0 dsgd-eval -m m s-0 s-1
    last_is "$(tail -n 1 raw | cut -f 3)" 3 <<< "$output"
    last_is "$(tail -n 1 raw | cut -f 4)" 4 <<< "$output"
}

@test "raw data are read as the model's training data were, unless options say otherwise" {
    DATA='{"format":"libsvm","base":0}' model logistic 1 "$two" 1 1 0 > m
    printf '+1 0:1\n-1 0:-1\n' > zero.svm
    run -0 --separate-stderr dsgd-eval -m m zero.svm
    assert_equal "$stderr" ''
    last_is 0 4 <<< "$output"
}

@test "data whose columns or index base are not those of the model are refused" {
    DATA='{"columns":["a","b"]}' model logistic 1 "$two" 1 1 0 > m
    printf 'y,a,b\n1,2,3\n-1,4,5\n' > same.csv
    printf 'y,b,a\n1,2,3\n-1,4,5\n' > other.csv
    run -0 dsgd-eval -m m --label-column y same.csv
    run -3 dsgd-eval -m m --label-column y other.csv
    assert_output "dsgd-eval: other.csv: feature 1 is 'b', the model learned from 'a'"
    dsgd-shard -q -o shard --label-column y other.csv
    run -3 dsgd-eval -m m shard
    assert_output "dsgd-eval: shard: feature 1 is 'b', the model learned from 'a'"
    DATA='{"format":"libsvm","base":0}' model logistic 1 "$two" 1 1 0 > m
    printf '+1 1:1\n-1 2:1\n' > one.svm
    dsgd-shard -q -o one one.svm
    run -3 dsgd-eval -m m one
    assert_output 'dsgd-eval: one: its indices start at 1, those the model learned from at 0'
}

@test "a stream without a model is refused" {
    run -3 --separate-stderr dsgd-eval "$(data 13-test-width/narrow.svm)" < /dev/null
    assert_equal "$output" ''
    assert_equal "$stderr" 'dsgd-eval: <stdin>: no model'
}

@test "a model cut short is refused with its place, after the rows of those before" {
    { separating 1; separating 2 | head -c 200; } > stream
    run -3 --separate-stderr dsgd-eval "$(data 13-test-width/narrow.svm)" < stream
    assert_equal "$(cut -f 1 <<< "$output")" $'iteration\n1'
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "$stderr" '^dsgd-eval: <stdin>: model 2: .*byte [0-9]+'
}

@test "what is no model is refused by name" {
    separating > m
    dsgd-shard -q -o shard "$(data 13-test-width/train.svm)"
    for file in shard "$(data 13-test-width/train.svm)" /dev/null; do
        run -3 --separate-stderr dsgd-eval -m "$file" "$(data 13-test-width/narrow.svm)"
        assert_equal "$output" ''
        assert_equal "${#stderr_lines[@]}" 1
        assert_regex "$stderr" "^dsgd-eval: $file: "
    done
    run -4 --separate-stderr dsgd-eval -m absent "$(data 13-test-width/narrow.svm)"
    assert_regex "$stderr" '^dsgd-eval: absent: '
    cat m m > both
    run -3 --separate-stderr dsgd-eval -m both "$(data 13-test-width/narrow.svm)"
    assert_regex "$stderr" '^dsgd-eval: both: more than one model'
    assert_equal "$output" ''
}

@test "a model with a weight that is no number is refused, not scored" {
    model logistic 1 "$two" 1 1 nan > m
    run -3 --separate-stderr dsgd-eval -m m "$(data 13-test-width/narrow.svm)"
    assert_equal "$output" ''
    assert_regex "$stderr" '^dsgd-eval: m: tensor weight: value 1 '
}

@test "a loss that is not finite is NA, and status 1 after all rows" {
    { model least-squares 3 '[]' 1 huge; model least-squares 4 '[]' 1 1; } > stream
    printf '1 1:9\n' > t.svm
    run -1 --separate-stderr dsgd-eval t.svm < stream
    assert_equal "$(cut -f 1,3 <<< "$output")" $'iteration\tloss\n3\tNA\n4\t32'
    assert_regex "$stderr" 'iteration 3: the loss is not finite'
}

@test "models of another width in a stream are refused" {
    { separating 1; model logistic 2 "$two" 1 1 0; } > stream
    run -3 --separate-stderr dsgd-eval "$(data 13-test-width/narrow.svm)" < stream
    assert_regex "$stderr" 'model 2 has 2 features, the first had 4'
}

@test "a wrong command line is status 2, one line and nothing on stdout" {
    separating > m
    while read -r args; do
        # shellcheck disable=SC2086 # a list of arguments
        try dsgd-eval $args < /dev/null
        assert_equal "$status" 2
        assert_equal "$output" ''
        assert_equal "${#stderr_lines[@]}" 1
    done <<'X'
-m m
-
-m - -
--predict m
--constants m
--constants --predict -m m m
--l2 1 -m m m
--timeout -1s m
--scores auk m
--scores auc --confusion -m m m
--export csv m
X
}

@test "a silent stream ends after --timeout, with status 5" {
    mkfifo in
    exec 5<> in
    run -5 --separate-stderr dsgd-eval --timeout 50ms "$(data 13-test-width/narrow.svm)" < in
    assert_equal "$stderr" 'dsgd-eval: <stdin>: model 1: nothing came for 0.05 s'
    separating 1 | head -c 100 >&5
    run -5 --separate-stderr dsgd-eval --timeout 50ms "$(data 13-test-width/narrow.svm)" < in
    assert_equal "$output" ''
    exec 5>&-
}

@test "a closed stdout ends it as it ends cat" {
    local i
    separating > stream
    for i in {1..9}; do
        cat stream stream > twice
        mv twice stream
    done
    mkfifo in
    { dsgd-eval "$(data 13-test-width/narrow.svm)" < in 2> err || echo "$?" > status; } | head -n 1 > /dev/null &
    cat stream > in || true
    wait "$!"
    run -0 cat status
    assert_output --regexp '^(141|4)$' # 4: where SIGPIPE was ignored from the start
}

@test "output that cannot be written is status 4" {
    separating > m
    run -4 --separate-stderr bash -c 'dsgd-eval -m m "$1" > /dev/full' _ "$(data 13-test-width/narrow.svm)"
    assert_regex "$stderr" '^dsgd-eval: <stdout>: '
}
