#!/usr/bin/env bats
# What packagers rely on: one version, what is installed where, nothing left behind.
# bats file_tags=slow,plain

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset MAKEFLAGS MAKELEVEL DESTDIR
}

# The files under a folder, without its name.
files() {
    (cd "$1" && find . ! -type d | sed 's/^\.\///' | sort)
}

# Fails unless what is installed under a prefix is what the FreeBSD port lists, and the RPM has a line for each file.
listed() {
    local file pattern
    files "$1" | sed '/^share\/\(doc\/\)*dsgd\//d; s|^share/man/.*|&.gz|' |
        diff -u --label packaging/freebsd/pkg-plist "$top_srcdir/packaging/freebsd/pkg-plist" -
    sed -n '/^%files/,/^%changelog/p' "$top_srcdir/packaging/dsgd.spec" |
        sed -n 's|%{_docdir}/%{name}|share/doc/dsgd|; s|%{_bindir}|bin|; s|%{_mandir}|share/man|; s|%{_datadir}|share|
            s|^%doc ||; s|/$|/*|; /^[a-z]*\//p' > patterns
    while IFS= read -r file; do
        while IFS= read -r pattern; do
            # shellcheck disable=SC2053 # a pattern
            [[ $file != $pattern ]] || continue 2
        done < patterns
        fail "no line of %files for $file"
    done < <(files "$1")
}

@test "every definition of a package has the version of configure.ac" {
    version=$(sed -n 's/^AC_INIT(\[dsgd\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac")
    [ -n "$version" ]
    while IFS=$'\t' read -r file pattern; do
        run -0 sed -n "s/^$pattern\$/\\1/p" "$top_srcdir/$file"
        assert_equal "$file ${lines[0]}" "$file $version"
    done <<'X'
debian/changelog	dsgd (\(.*\)) .*
packaging/default.nix	  version = "\(.*\)";
packaging/dsgd.rb	  url ".*\/dsgd-\(.*\)\.tar\.xz"
packaging/dsgd.spec	Version: *\(.*\)
packaging/freebsd/Makefile	DISTVERSION=	\(.*\)
packaging/freebsd/distinfo	SHA256 (dsgd-\(.*\)\.tar\.xz) .*
packaging/guix.scm	  (version "\(.*\)")
X
    run -0 dsgd-ps --version
    assert_output "dsgd-ps (dsgd) $version"
}

@test "make install goes into DESTDIR and prefix alone, as packages list it, make uninstall leaves nothing" {
    make -s -C "$top_builddir" install "DESTDIR=$PWD/root" prefix=/opt/it > log 2>&1 || fail "$(cat log)"
    files root > installed
    run -1 grep -v '^opt/it/' installed
    for name in bin/dsgd-ps share/dsgd/data/digits-test.csv.gz share/man/man1/dsgd-ps.1 share/doc/dsgd/NEWS; do
        grep -qx "opt/it/$name" installed || fail "no $name"
    done
    run -1 grep -rlF "$PWD/root" root
    listed root/opt/it
    make -s -C "$top_builddir" uninstall "DESTDIR=$PWD/root" prefix=/opt/it > log 2>&1 || fail "$(cat log)"
    run -0 files root
    assert_output ''
}

# What each shell looks for by itself, once a command is typed.
@test "bash-completion, zsh and fish find the completions that were installed" {
    make -s -C "$top_builddir" install-data "prefix=$PWD/it" > log 2>&1 || fail "$(cat log)"
    export XDG_DATA_DIRS=$PWD/it/share HOME=$PWD INPUTRC=/dev/null
    if [ -e /usr/share/bash-completion/bash_completion ]; then
        cat > rc <<'X'
. /usr/share/bash-completion/bash_completion
show() { printf '%s\n' "$READLINE_LINE" >> shown; READLINE_LINE=; }
bind '"\C-t": insert-completions'
bind -x '"\C-g": show'
X
        printf 'dsgd-ps -p k-b\x14\x07' | bash --noprofile --rcfile rc -i 2> /dev/null
        assert_equal "$(cat shown)" 'dsgd-ps -p k-batch-async: k-batch-sync: '
    fi
    if command -v zsh; then
        run -0 zsh -f "$top_srcdir/tests/lib/zsh-complete" "$PWD/it/share/zsh/site-functions" <<< 'dsgd-ps -p k-b'
        assert_output 'dsgd-ps -p k-batch-async: k-batch-sync:'
    fi
    if command -v fish; then
        run -0 fish --private -c "complete -C 'dsgd-ps -p k-b' | string replace -r '\t.*' ''"
        assert_output $'k-batch-sync:\nk-batch-async:'
    fi
}
