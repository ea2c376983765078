#!/usr/bin/env bats
# Where a server listens and a worker dials: ports, socket files, IPv6, names, tokens.

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    awk 'BEGIN { for (; i < 10; i++) printf "%d 1:%g 3:%g\n", i % 2, i / 10, i * i % 7 }' > d.svm
    run_opts=(-q -m logistic -b 4 -J 3 -P 1 -o model)
}

teardown() {
    leave_nothing
}

# A server at ADDRESS named NAME; $address and $server as serve sets them.
#   listen NAME ADDRESS [OPTION]...
listen() {
    local name=$1 at=$2
    shift 2
    rm -f "$name.ready"
    serve "$name" dsgd-ps "${run_opts[@]}" -l "$at" "$@"
}

# A worker at ADDRESS, and the server's end, both in order.
finish() {
    dsgd-worker -q -c "$1" d.svm
    wait "$server"
}

has_ipv6() {
    [ -e /proc/net/if_inet6 ] && grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6
}

@test "every address listens and is reached, or is refused with its reason" {
    local at want rows=0
    while IFS=$'\t' read -r at want; do
        case $at in \#*) continue ;; esac
        rows=$((rows + 1))
        if [ "$at" = '[::1]:0' ] && ! has_ipv6; then
            run -4 dsgd-ps "${run_opts[@]}" -l "tcp:$at"
            assert_output --partial IPv6
            continue
        fi
        case $want in
        listens*)
            listen one "tcp:$at"
            [[ $address =~ ^tcp:[][0-9a-f.:]+:[1-9][0-9]*/[0-9a-f]{32}$ ]]
            finish "$address"
            ;;
        refused:*)
            run ! --separate-stderr dsgd-ps "${run_opts[@]}" -l "tcp:$at"
            [ -z "$output" ]
            want=${want#refused: }
            [[ $stderr == dsgd-ps:*"${want%%;*}"* ]] || fail "$at: $stderr"
            [ "${#stderr_lines[@]}" -eq 1 ]
            ;;
        *) fail "no such row: $want" ;;
        esac
    done < <(sed 's/write \[/write tcp:[/' "$(data 20-addresses/addresses.txt)")
    [ $rows -eq 10 ]
    [ ! -s one.err ]
}

@test "localhost reaches a server, whichever of its addresses that listens on" {
    listen one tcp:127.0.0.1:0
    finish "${address/127.0.0.1/localhost}"
    has_ipv6 || skip 'no IPv6 here'
    grep -q '^::1.*localhost' /etc/hosts || skip 'localhost is IPv4 alone here'
    listen one 'tcp:[::1]:0'
    finish "${address/'[::1]'/localhost}"
}

@test "a port that another program holds is refused at once, and that program is not disturbed" {
    listen one tcp:127.0.0.1:0
    run -4 dsgd-ps "${run_opts[@]}" -l "${address%/*}"
    assert_output --regexp "^dsgd-ps: ${address%/*}: .*[Aa]ddress already in use$"
    finish "$address"
}

@test "the port of a server that has just ended is free again" {
    listen one tcp:127.0.0.1:0
    finish "$address"
    listen one "${address%/*}"
    finish "$address"
}

@test "a socket file has mode 0600, and is gone when the server has ended" {
    listen one unix:s
    [ "$(stat -c %a s)" = 600 ]
    [ "$address" = unix:s ]
    finish "$address"
    [ ! -e s ]
}

@test "a socket file left by a killed server is replaced" {
    listen one unix:s
    kill -9 "$server"
    wait "$server" || true
    [ -S s ]
    listen two unix:s
    finish "$address"
}

@test "the socket file of a live server is refused, and that server is not disturbed" {
    listen one unix:s
    run -4 dsgd-ps "${run_opts[@]}" -l unix:s
    assert_output 'dsgd-ps: unix:s: in use by a running program'
    finish unix:s
}

@test "a plain file under the name of a socket is refused and left alone" {
    echo precious > s
    run -4 dsgd-ps "${run_opts[@]}" -l unix:s
    assert_output --partial 'unix:s: there is a file of that name, and it is no socket'
    [ "$(cat s)" = precious ]
}

@test "a path too long for a socket is refused with the limit, never cut" {
    local path=$BATS_TEST_TMPDIR/
    path+=$(printf '%0200d' 0)
    run -2 dsgd-ps "${run_opts[@]}" -l "unix:$path"
    assert_output --partial "a path of ${#path} bytes: sockets of this system allow 107"
    run -2 dsgd-worker -c "unix:$path" d.svm
    assert_output --partial "a path of ${#path} bytes: sockets of this system allow 107"
    [ "$(find . -name '0*')" = '' ]
}

@test "a worker started before its server joins it" {
    background early dsgd-worker -c unix:s d.svm
    local worker=$!
    eventually grep -q 'unix:s: cannot connect: No such file .*; trying for 30 s' early.err
    listen one unix:s
    wait "$worker"
    wait "$server"
}

@test "a worker started before its server has written its address joins it" {
    background early dsgd-worker -q -c @where d.svm
    local worker=$!
    listen one tcp:127.0.0.1:0 --address-file where -P 2 # the file is there as long as somebody can come
    [ "$(cat where)" = "$address" ]
    [ "$(stat -c %a where)" = 600 ]
    dsgd-worker -q -c @where d.svm
    wait "$worker"
    wait "$server"
}

@test "without a server the worker ends at the limit, and names the address it tried" {
    local at
    for at in unix:none tcp:127.0.0.1:1 'tcp:[::1]:1' tcp:no-such-host.invalid:4000; do
        run -5 dsgd-worker -c "$at" --connect-timeout 100ms d.svm
        assert_output --regexp "^dsgd-worker: ${at//[\[\]]/.}: .*\(tried for 0.1 s\)$"
    done
    run -5 dsgd-worker -c @none --connect-timeout 100ms d.svm
    assert_output 'dsgd-worker: none: No such file or directory (tried for 0.1 s)'
    echo 'tcp:here' > wrong
    run -3 dsgd-worker -c @wrong d.svm
    assert_output "dsgd-worker: wrong:1: address 'tcp:here': no port: write tcp:HOST:PORT"
}

@test "beyond loopback a server listens with --insecure alone, and says so" {
    run -2 dsgd-ps "${run_opts[@]}" -l tcp:0.0.0.0:0
    assert_output --partial '0.0.0.0 is no loopback address; --insecure allows others'
    run_opts=("${run_opts[@]:1}")
    listen one tcp:0.0.0.0:0 --insecure
    [[ $address =~ ^tcp:0\.0\.0\.0:[0-9]+$ ]]
    finish "${address/0.0.0.0/127.0.0.1}"
    grep -qi insecure one.err
}

@test "a worker without the server's token, or with another, is refused, and the server goes on" {
    listen one tcp:127.0.0.1:0
    run -5 dsgd-worker -c "${address%/*}" d.svm
    assert_output --partial token
    run -5 dsgd-worker -c "${address%/*}/00112233445566778899aabbccddeeff" d.svm
    assert_output --partial token
    finish "$address"
}

@test "a socket file in a folder that others can write to is told of, one in a folder of one's own is not" {
    mkdir open sticky own
    chmod 777 open
    chmod 1777 sticky
    chmod 755 own
    run_opts=("${run_opts[@]:1}")
    for folder in open sticky own; do
        listen "$folder" "unix:$folder/s"
        finish "$address"
    done
    for folder in open sticky; do
        grep -q "^dsgd-ps: unix:$folder/s: others can write to its folder" $folder.err
    done
    run ! grep -q 'others can write' own.err
    if [ "$(id -u)" -eq 0 ]; then
        chgrp nogroup own
        chmod 775 own
        listen grouped unix:own/s
        finish "$address"
        grep -q 'others can write' grouped.err
    fi
}
