#!/usr/bin/env bats
# Where data come from: packed files, archives and their members, pipes, several files at once.
# bats file_tags=slow

setup() {
    load lib/common.bash
    load lib/rows.bash
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    leave_nothing
}

@test "a gzip that is cut or damaged is refused, wherever the fault is" {
    d=$(data 07-truncated-gzip)
    run -0 read_rows "$d/whole.svm.gz"
    assert_equal "$(awk -F '[: ]' '{ sum += $3 } END { print NR, sum }' <<< "$output")" '20 210'
    refuse 3 'cut-middle.svm.gz: the gzip data end early' "$d/cut-middle.svm.gz"
    refuse 3 'cut-last.svm.gz: the gzip data end early' "$d/cut-last.svm.gz"
    refuse 3 'bad-sum.svm.gz: damaged gzip data' "$d/bad-sum.svm.gz"
    refuse 3 'nothing.svm.gz: no rows' "$d/nothing.svm.gz"
    { cat "$d/whole.svm.gz"; echo tail; } > tail.gz
    refuse 3 'tail.gz: other bytes stand behind the end' "$PWD/tail.gz"
}

@test "every packer is known by content, in one stream or several, and a cut is refused" {
    for ((i = 1; i <= 300; i++)); do
        echo "$((i % 2)) 1:$i"
    done > rows.svm
    for packer in gzip bzip2 xz zstd lz4; do
        command -v $packer > /dev/null || continue
        $packer -q -c rows.svm > packed
        dsgd-shard -q -o once --split sequential packed
        cat packed packed > twice
        dsgd-shard -q -o two --split sequential twice
        for cut in 1 9; do
            head -c -$cut packed > cut
            refuse 3 "cut: the $packer data end early" "$PWD/cut"
        done
        { cat packed && echo tail; } > tail
        refuse 3 "tail: " "$PWD/tail"
        if [[ $packer != [zl]* ]]; then # of these the other two say that they are damaged
            { cat packed && head -c 100000 /dev/zero; } > padded
            dsgd-shard -q -o padded.s --split sequential padded
            cmp <(rows padded.s) rows.svm
        fi
        { $packer -c < /dev/null && cat packed; } > after
        try dsgd-shard -q -o after.s --split sequential after
        if [ "$status" = 0 ]; then # of two streams libarchive reads lz4's only if the first is not empty
            cmp <(rows after.s) rows.svm
        else
            assert_equal "$status $packer" '3 lz4'
        fi
        tar cf - rows.svm | $packer -q -c > tar
        dsgd-shard -q -o tarred --split sequential tar
        rows once two tarred | cmp - <(cat rows.svm rows.svm rows.svm rows.svm)
        head -c -5 tar > cut
        refuse 3 "cut: the $packer data end early" "$PWD/cut"
    done
}

@test "members of a tar are read in order; folders, links and side files are no data" {
    d=$(data 08-tar-members)
    for input in "$d/rows.tar" -; do
        run -0 --separate-stderr dsgd-shard -o s --split sequential "$input" < <(cat "$d/rows.tar")
        assert_equal "${#stderr_lines[@]}" 2
        [[ ${stderr_lines[0]} == *'(data/._part-1.svm): a side file of macOS, left out' ]] || fail "$stderr"
        rows s > rows
        run -0 cut -d ' ' -f 2 rows
        assert_output $'1:1\n1:2\n1:3\n1:4\n1:5'
    done
    refuse 3 'bad.tar(data/part-1.svm):2: ' "$d/bad.tar"
    refuse 3 '<stdin>(data/part-1.svm):2: ' - < "$d/bad.tar"
}

@test "ARCHIVE//MEMBER is that member alone" {
    d=$(data 08-tar-members)
    run -0 read_rows "$d/rows.tar//data/part-1.svm"
    assert_equal "${#lines[@]}" 3
    refuse 3 "rows.tar: holds no file 'nix.svm'" "$d/rows.tar//nix.svm"
    refuse 4 'nix.tar: No such file' "$PWD/nix.tar//a"
    run -0 read_rows "$d//rows.tar//data/part-1.svm"
    assert_equal "${#lines[@]}" 3
}

@test "text for people beside the data of an archive is left out, with a line that says so" {
    printf '1 1:0.5 2:1\n-1 2:1\n' > in.svm
    printf 'Iris data, by Fisher\n\nData set: 150 rows, 4 features.\nSee http://example.org: old.\n' > README.txt
    for members in 'README.txt in.svm' 'in.svm README.txt'; do
        tar cf a.tar $members
        for from in a.tar -; do
            run -0 --separate-stderr dsgd-shard -o s --split sequential "$from" < a.tar
            assert_regex "$stderr" '\(README.txt\): text without rows, left out'
            run -0 rows s
            assert_output $'1 1:0.5 2:1\n-1 2:1'
        done
    done
    refuse 3 "a.tar(README.txt):1: 'data,' is not INDEX:VALUE" -f libsvm "$PWD/a.tar"
    refuse 2 'a.tar(README.txt): CSV needs --label-column' "$PWD/a.tar//README.txt" -f csv
    run -3 dsgd-shard -o none README.txt --label-column 1
    tar cf b.tar README.txt
    run -3 --separate-stderr dsgd-shard -o none b.tar
    assert_regex "$stderr" 'b.tar: no rows$'
}

@test "what could be rows is not taken for text for people" {
    printf '1 1:0.5\n' > in.svm
    for text in 'a title\ny,a\n1,2\n' 'red,yes\nblue,no\n' '1\n2\n' 'spam 1:2\n' 'y,a\nno,"all, of it"\nno,b\n' \
        'y;a\nyes;1\n' 'a b\n1 2\n'; do
        printf "$text" > rows
        tar cf a.tar in.svm rows
        run --separate-stderr dsgd-shard -o s a.tar
        refute_regex "$stderr" 'left out'
        [ "$status" != 0 ] || assert_regex "$stderr" ' [23] rows'
    done
    { yes red,round,yes | head -n 9999; } > rows # its last line in the head is cut
    tar cf a.tar in.svm rows
    refuse 2 'a.tar(rows): CSV needs --label-column' "$PWD/a.tar"
}

@test "a slash too many is no archive: the file is what is missing" {
    refuse 4 "$PWD//none: No such file or directory" "$PWD//none"
    refuse 4 "$PWD/none: No such file or directory" "$PWD/none//x"
    head -c 5000 /dev/zero > zeros
    refuse 3 'zeros: it begins with zeros: no data, and no archive of any' "$PWD/zeros"
}

@test "tar and zip of every flavour give the same rows" {
    mkdir -p 'folder/ü'
    printf '1 1:1\n' > folder/a.svm
    printf '0 1:2\n' > 'folder/ü/b.svm'
    ln -s a.svm folder/link.svm
    tar cf pax.tar --format=pax folder/a.svm folder/link.svm folder/ü
    tar cf gnu.tar --format=gnu folder/a.svm folder/link.svm folder/ü
    tar czf packed.tgz folder/a.svm folder/ü
    gzip -k folder/a.svm
    tar cf within.tar folder/a.svm.gz folder/ü
    command -v zip > /dev/null && zip -qry links.zip folder/a.svm folder/link.svm folder/ü
    command -v zip > /dev/null && zip -qr0 stored.zip folder/a.svm folder/ü
    tar cf first.tar folder/a.svm
    tar cf second.tar folder/ü
    cat first.tar second.tar > joined.tgz
    rm first.tar second.tar
    for archive in *.tar *.tgz *.zip; do
        [ -e "$archive" ] || continue
        run -0 read_rows "$archive"
        assert_output $'1 1:1\n0 1:2'
    done
}

@test "standard input gives the same shard as the file, whatever it is" {
    d=$(data 23-standard-input)
    dsgd-shard -q -o named "$d/rows.svm"
    for name in rows.svm rows.svm.gz rows.zip; do
        cat "$d/$name" | dsgd-shard -q -o piped -
        dsgd-shard -q -o opened - < "$d/$name"
        dsgd-shard -q -o implied < "$d/$name"
        cmp piped opened
        cmp piped implied
        assert_equal "$(rows piped)" "$(rows named)"
    done
    refuse 3 "<stdin>:2: value 'x'" - <<< $'1 1:1\n0 1:x'
}

@test "standard input that comes a byte at a time is the same data" {
    d=$(data 23-standard-input)
    dd if="$d/rows.svm" bs=1 status=none | dsgd-shard -q -o slow -
    run -0 rows slow
    assert_equal "$(sort <<< "$output")" "$(sort "$d/rows.svm")"
}

@test "standard input that is empty, closed, or named twice is refused" {
    refuse 3 '<stdin>: no rows' - < /dev/null
    run -3 bash -c 'dsgd-shard -o s - <&-'
    assert_output 'dsgd-shard: <stdin>: no rows: standard input is closed'
    assert_file_not_exists s
    refuse 2 "'-': standard input can be read only once" - -
    refuse 2 "'-': standard input can be read only once" - --labels -
}

@test "./- is a file of that name" {
    cp "$(data 23-standard-input/rows.svm)" ./-
    run -0 read_rows ./- < /dev/null
    assert_equal "${#lines[@]}" 6
}

@test "a file that is not there, a folder and an empty file among others are refused by name" {
    refuse 4 'nix: No such file or directory' nix
    refuse 4 ': cannot read: Is a directory' "$PWD"
    : > empty.svm
    refuse 3 'empty.svm: no rows' "$(data 23-standard-input/rows.svm)" "$PWD/empty.svm"
}

@test "several files are one data set, in order" {
    d=$(data 23-standard-input)
    run -0 read_rows "$d/rows.svm" "$(data 15-shards-lose-nothing/rows.svm)" "$d/rows.svm.gz"
    assert_output "$(cat "$d/rows.svm" "$(data 15-shards-lose-nothing/rows.svm)" "$d/rows.svm")"
}

@test "pixels that count 1/255 in one file and 1 in another are told of, and images of another shape are refused" {
    printf '\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\2\1\2\3\4\377\0\0\0' > images
    printf '\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\4\1\2\3\4\377\0\0\0' > wide
    printf '\0\0\x08\1\0\0\0\2\0\1' > labels
    printf '0 1:1 2:2 3:3 4:4\n1 1:255\n' > same.svm
    dsgd-shard -q -o shard --labels labels images
    dsgd-sim -q -m logistic -d const:1s -J 3 -o model shard
    run -0 --separate-stderr dsgd-eval -m model --labels labels images
    assert_equal "$stderr" ''
    run -0 --separate-stderr dsgd-eval -m model same.svm
    assert_equal "$stderr" 'dsgd-eval: same.svm: the model learned from idx, whose bytes count 1/255; numbers of libsvm count as they are'
    run -0 dsgd-shard -o like --like shard same.svm
    assert_line 'dsgd-shard: same.svm: shard learned from idx, whose bytes count 1/255; numbers of libsvm count as they are'
    run -3 dsgd-eval -m model --labels labels wide
    assert_output --partial 'wide: its data have shape [1, 4, 1], those of the model have [2, 2, 1]'
}
