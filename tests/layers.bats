# The order of the layers, as the include lines and the linked programs show it.

setup() {
    load lib/common.bash
    cd "$top_srcdir" || return
}

# FILE:HEADER for each of our headers that a file includes.
includes() {
    grep -HEo '^#include "[^"]+"' "$@" | sed 's/:#include "/:/; s/"$//'
}

sources() {
    find bin lib -name '*.[ch]' -o -path 'lib/*' -name '*.def'
}

# Lines of `includes` that go upward or sideways in lib. An engine of lib/run has a folder of its own;
# it may include what the engines share, which lies beside those folders.
wrong_in_lib() {
    awk -F : '
        BEGIN { rank["base"] = 1; rank["run"] = 3 }
        function of(folder) { return folder in rank ? rank[folder] : 2 }
        {
            deep = split($1, file, "/")
            to = split($2, header, "/")
            engine = deep > 3 ? file[3] : ""
            wanted = to > 2 ? header[2] : ""
            if (file[2] != header[1])
                wrong = of(header[1]) >= of(file[2]) && !(file[2] == "theory" && header[1] == "delay")
            else
                wrong = wanted != "" && wanted != engine
            if (wrong)
                print
        }'
}

@test "no file in lib includes upward or sideways" {
    run -0 wrong_in_lib < <(includes $(find lib -name '*.[ch]'))
    assert_output ''
}

@test "the check of the layers finds an upward and a sideways include" {
    run -0 wrong_in_lib <<'X'
lib/base/num.c:policy/policy.h
lib/net/conn.c:learn/model.h
lib/run/split/split.c:data/dataset.h
lib/run/split/split.c:run/split/pattern.h
lib/run/split/split.c:run/server/state.h
lib/run/server/life.c:run/aggregate.h
lib/run/aggregate.c:run/server/state.h
lib/net/conn.c:base/err.h
lib/theory/order.c:delay/delay.h
X
    assert_output - <<'X'
lib/base/num.c:policy/policy.h
lib/net/conn.c:learn/model.h
lib/run/split/split.c:run/server/state.h
lib/run/aggregate.c:run/server/state.h
X
}

@test "a program includes the run call, lib/base, the data options and the tables, nothing else" {
    run -0 awk -F : '
        $2 !~ /^(base|run)\// && $2 != "data/dataset.h" && $2 != "policy/policy.h" &&
        $2 != "delay/delay.h" && $2 != "learn/model.h" && $2 != "learn/optimizer.h"' \
        < <(includes bin/*.c)
    assert_output ''
}

@test "only base/num.c turns text into real numbers, and nothing sets the locale" {
    run grep -nE '(strto[a-z]+|ato(f|i|l|ll)|v?[fs]?scanf|setlocale) *\(' \
        $(sources | grep -v '^lib/base/num.c$')
    assert_output ''
}

# What is really called, whatever macros and headers made of it: num.c hands to strtod texts of digits and a power,
# without a point, which mean the same in every locale.
@test "the C library reads real numbers for base/num.c alone, and no program sets a locale" {
    command -v nm > /dev/null || skip "no nm"
    run -0 awk -F '[: ]+' '$0 ~ / U / && $NF ~ /^_*(isoc[0-9]*_)?(strto(f|d|ld)|atof|v?f?s?w?scanf|(set|new|use)locale)/ {
        print $2, $NF }' <(nm -A "$top_builddir/libdsgd.a" 2> /dev/null | sort)
    assert_output $'num.o strtod\nnum.o strtof'
    for name in "$top_builddir"/bin/*.o; do
        run nm -u "$name"
        refute_output --regexp '(strto(f|d|ld)|atof|scanf|locale)'
    done
}

# A header that a source of the build includes before all else has been compiled alone already.
@test "every header compiles alone" {
    local header first
    first=$(awk 'FNR == 1 { seen = 0 } !seen && /^#include/ { seen = 1; gsub(/"/, "", $2); print $2 }' $(find lib -name '*.c'))
    for header in $(find lib -name '*.h'); do
        [[ $'\n'$first$'\n' != *$'\n'${header#lib/}$'\n'* ]] || continue
        echo "$header"
        "${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -fsyntax-only -Wall -Werror -Ilib -x c - \
            <<< "#include \"${header#lib/}\"" || fail "$header"
    done
}

@test "every source and test is in the lists of Makefile.am" {
    run -0 comm -23 <({ sources | sed '/^bin/s/\.c$//'; find man -name '*.[1-9]'; ls tests/*.bats; } | sort) \
        <(sed -n 's/^  \([^ ]*\)\( \\\)*$/\1/p' Makefile.am | sort)
    assert_output ''
}

@test "programs that compute no gradient link no BLAS" {
    for name in dsgd-ps dsgd-shard dsgd-trace; do
        run -0 ldd "$top_builddir/bin/$name"
        refute_output --regexp 'blas|blis|atlas|lapack'
    done
}
