# The programs are built so that a fault stops them: as Debian builds, unless configure was told otherwise.

setup() {
    load lib/common.bash
    command -v readelf > /dev/null || skip 'no readelf'
    programs=("$top_builddir"/bin/dsgd-{eval,plan,ps,shard,sim,trace,worker})
    ! grep -q -- '--disable-hardening' "$top_builddir/config.log" || skip 'configured without'
    ! readelf -s --wide "${programs[0]}" | grep -q __asan_init || skip 'sanitizers see more'
}

@test "every program is independent of its position and binds at its start" {
    for program in "${programs[@]}"; do
        readelf -h "$program" | grep -q 'Type: *DYN' || fail "$program is no PIE"
        readelf -l --wide "$program" | grep -q GNU_RELRO || fail "$program has no RELRO"
        readelf -d --wide "$program" | grep -Eq 'BIND_NOW|Flags:.* NOW' || fail "$program binds lazily"
        readelf -l --wide "$program" | grep 'GNU_STACK' | grep -qv 'RWE' || fail "$program has a stack to execute"
    done
}

@test "every program checks its stack and the sizes that the C library is given" {
    for program in "${programs[@]}"; do
        symbols=$(readelf -s --wide "$program")
        [[ $symbols == *__stack_chk_fail* ]] || fail "$program does not check its stack"
        [[ $symbols == *_chk@* ]] || fail "$program does not check sizes"
    done
}

@test "no program starts a second thread" {
    for program in "${programs[@]}"; do
        ! readelf --dyn-syms --wide "$program" | grep -qE 'pthread_create|thrd_create' || fail "$program has threads"
    done
}
