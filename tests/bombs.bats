# Archives that mean harm: what is small and unpacks to very much, links that lead elsewhere.
# bats file_tags=slow,plain

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

# rows N: so many rows of libsvm, all alike, which pack well.
alike() {
    yes '1 1:1' | head -n "$1"
}

@test "what unpacks to more than a thousand times its size is refused with the figures" {
    for pack in 'bzip2 -c' 'zstd -qc' 'xz -c'; do
        command -v "${pack%% *}" > /dev/null || continue
        alike 2000000 | $pack > bomb
        size=$(wc -c < bomb)
        refuse 3 "bomb: unpacks to more than 1000 times its size (" "$PWD/bomb"
        [[ $stderr == *" bytes out of $size): --max-ratio allows more" ]] || fail "$stderr, not $size"
        refuse 3 '<stdin>: unpacks to more than 1000' - < bomb
        run -0 dsgd-shard --max-ratio 1e6 -o shard bomb
        assert_output --partial '2000000 rows'
        rm shard
    done
}

@test "a member that swells, a bomb in an archive, and one in another are refused" {
    command -v zip > /dev/null || skip 'no zip'
    alike 2000000 > rows
    bzip2 rows
    zip -q -0 a.zip rows.bz2
    tar cf a.tar rows.bz2
    bzip2 -k a.tar
    for archive in a.zip a.tar a.tar.bz2; do
        refuse 3 "unpacks to more than 1000 times its size" "$PWD/$archive"
    done
    head -c 3000000 /dev/zero > labels
    { printf '\0\0\x08\1\0\x2d\xc6\xc0'; cat labels; } | bzip2 > labels.bz2
    printf '\0\0\x08\2\0\0\0\1\0\0\0\1\5' > x
    refuse 3 'labels.bz2: unpacks to more than 1000 times' --labels "$PWD/labels.bz2" "$PWD/x"
    yes 3 | head -n 2000000 | bzip2 > labels.txt.bz2
    echo 1,2 > rows.csv
    refuse 3 'labels.txt.bz2: unpacks to more than 1000' --no-header --labels "$PWD/labels.txt.bz2" "$PWD/rows.csv"
}

@test "what packs as data do is read, and a little that packs well is no bomb" {
    alike 100000 | bzip2 > small.bz2
    run -0 dsgd-shard -o shard small.bz2
    assert_output --partial '100000 rows'
}

@test "links in an archive lead nowhere" {
    echo '1 1:1' > data
    echo '7 7:7' > "$BATS_TEST_TMPDIR/secret"
    ln -s "$BATS_TEST_TMPDIR/secret" link
    ln data hard
    tar cf a.tar data link hard
    rm -f link hard
    run -0 read_rows a.tar
    assert_output '1 1:1'
    for name in link hard; do
        refuse 3 "a.tar: holds no file '$name'" "$PWD/a.tar//$name"
    done
}

@test "names in an archive that lead out of it lead nowhere: it is read in memory alone" {
    mkdir inner
    echo '1 1:1' > rows
    tar cPf a.tar --transform "s,^rows,$PWD/outside," rows
    tar rPf a.tar --transform 's,^rows,../beside,' rows
    rm rows
    (cd inner && run -0 read_rows ../a.tar && assert_output "$(printf '1 1:1\n1 1:1')")
    [ ! -e outside ] && [ ! -e beside ]
    [ "$(ls inner)" = s ] # the shard
}
