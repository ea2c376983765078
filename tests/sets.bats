# dsgd-sets(7): the command lines of the page, on the sets of $DSGD_DATA, come to the results that it names.
# bats file_tags=data

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
}

# The commands under a heading of the page.
commands() {
    awk -v set="$1" '/^\.Ss/ { here = index($0, ".Ss " set ":") == 1 }
        here && /^\.Ed/ { on = 0 }
        here && on { gsub(/\\e/, "\\"); print }
        here && /^\.Bd/ { on = 1 }' "$top_srcdir/man/dsgd-sets.7"
}

# The mean of a column, by its name, of the rows that dsgd-eval printed, each with its header above it.
mean() {
    awk -F '\t' -v name="$1" '/^iteration/ { for (k = 1; k <= NF; k++) if ($k == name) at = k; next }
        { sum += $at; n++ } END { if (n == 0) exit 1; print sum / n }'
}

@test "every set in dsgd-sets(7) trains to its known result, within 0.01" {
    [ -d "${DSGD_DATA-}" ] || skip 'data: no DSGD_DATA'
    for folder in "$DSGD_DATA"/*/; do
        ln -s "$folder" .
    done
    local trained=0
    while read -r _ set measure reference; do
        commands "${set%:}" > script
        [ -s script ] || fail "$set no commands"
        # shellcheck disable=SC2094 # reads the script, not the list
        bash -eu script < /dev/null > rows || fail "$set $(cat script)"
        got=$(mean "$measure" < rows) || fail "$set $(cat rows)"
        echo "# $set $measure $got, known $reference"
        awk -v a="$got" -v b="$reference" 'BEGIN { exit !((a - b) ^ 2 <= 0.01 ^ 2) }' ||
            fail "$set $measure is $got, not $reference"
        rm -f fold-? shard model
        trained=$((trained + 1))
    done < <(grep -E '^\.Ss [^ ]+: (error|r2) ' "$top_srcdir/man/dsgd-sets.7")
    assert_equal "$trained" "$(grep -c '^\.Ss ' "$top_srcdir/man/dsgd-sets.7")"
}

@test "every table of \$DSGD_DATA is in dsgd-sets(7)" {
    [ -d "${DSGD_DATA-}/csv" ] || skip 'data: no tables in DSGD_DATA'
    for file in "$DSGD_DATA"/csv/*; do
        grep -qF "csv/${file##*/}" "$top_srcdir/man/dsgd-sets.7" || fail "${file##*/} is not there"
    done
}
