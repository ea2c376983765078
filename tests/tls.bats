#!/usr/bin/env bats
# tls: addresses: who proves who he is joins, and nobody else; what goes over them is what goes over sockets.
# bats file_tags=slow

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    command -v openssl > /dev/null || return 0
    authority ca
    authority other
    leaf server ca DNS:localhost,IP:127.0.0.1
    leaf elsewhere ca DNS:elsewhere.example
    leaf worker ca DNS:worker
    leaf stranger other DNS:localhost
    leaf late ca DNS:localhost -1
}

# Certificates, each made for this run: NAME.pem and NAME.key.
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" \
        -subj "/CN=$1" -days 2 2> /dev/null
}

#   leaf NAME AUTHORITY NAMES [DAYS]
leaf() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr" \
        -subj "/CN=$1" 2> /dev/null
    echo "subjectAltName=$3" > "$1.ext"
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -out "$1.pem" -days "${4-2}" \
        -extfile "$1.ext" 2> /dev/null
}

setup() {
    load lib/common.bash
    load lib/wire.bash
    cd "$BATS_TEST_TMPDIR" || return
    dsgd-ps --make-key key
    try dsgd-worker -c tls:localhost:1 --key-file key --connect-timeout 0 none
    [[ $stderr != *'not in this build'* ]] || skip 'built without OpenSSL'
    awk 'BEGIN { for (; i < 40; i++) printf "%d 1:%g 3:%g\n", i % 2, i / 40, i * i % 7 }' > d.svm
    run_opts=(-m logistic -b 4 -P 1 -J 3 -o model --join-timeout 100s)
}

teardown() {
    leave_nothing
}

needs_openssl() {
    command -v openssl > /dev/null || skip 'no openssl command'
}

# What stands for a name: --cert, --cert-key and --ca.
#   as NAME [AUTHORITY]
as() {
    local from=$BATS_FILE_TMPDIR
    who=(--cert "$from/$1.pem" --cert-key "$from/$1.key" --ca "$from/${2-ca}.pem")
}

# A server at tls:localhost.
#   listen OPTION...
listen() {
    rm -f ps.ready
    serve ps dsgd-ps "${run_opts[@]}" -l tls:localhost:0 "$@"
    [[ $address =~ ^tls:localhost:[1-9][0-9]*$ ]]
}

# Refused at once, with status 5, by a message with WHY in it; the server says OTHER, and goes on.
#   refuses WHY OTHER OPTION...
refuses() {
    local why=$1 other=$2
    shift 2
    run -5 timeout 60 dsgd-worker -q -c "$address" --connect-timeout 10m "$@" d.svm
    assert_output --partial "$why"
    [ "${#lines[@]}" -eq 1 ]
    eventually grep -qF "$other" ps.err
}

finish() {
    dsgd-worker -q -c "$address" "$@" d.svm
    wait "$server"
}

@test "a key is written once: 0600 whatever the umask, never over a file, never twice the same" {
    (umask 0 && dsgd-ps --make-key open)
    dsgd-ps --make-key other
    [ "$(stat -c %a%F open other)" = "$(printf '600regular file\n600regular file')" ]
    grep -qxE '[0-9a-f]{64}' open
    run ! cmp -s open other
    cp -p open was
    run -4 dsgd-ps --make-key open
    assert_output 'dsgd-ps: open: File exists'
    cmp open was
    ln -s nowhere link
    run -4 dsgd-ps --make-key link
    [ ! -e nowhere ]
}

@test "a key that is short, that others can use or that is none is refused before anybody can connect" {
    local mode file why
    head -c 31 key > short
    chmod 600 short
    ln -s key linked
    while read -r file why; do
        run -3 dsgd-ps "${run_opts[@]}" -l tls:localhost:0 --key-file "$file"
        assert_output "dsgd-ps: $file: $why"
        run -3 dsgd-worker -q -c tls:localhost:1 --key-file "$file" d.svm
        assert_output "dsgd-worker: $file: $why"
    done <<'X'
short a key of 31 bytes: at least 32 are needed
. is no regular file
X
    for mode in 604 640 660 602; do
        chmod "$mode" key
        run -3 dsgd-ps "${run_opts[@]}" -l tls:localhost:0 --key-file linked
        assert_output --partial "linked: group or others can use it (mode 0$mode)"
    done
    run -4 dsgd-ps "${run_opts[@]}" -l tls:localhost:0 --key-file none
    assert_output 'dsgd-ps: none: No such file or directory'
}

@test "a private key that others can use is refused, that of a certificate too" {
    needs_openssl
    local mode
    cp "$BATS_FILE_TMPDIR"/server.{pem,key} "$BATS_FILE_TMPDIR/ca.pem" .
    for mode in 644 640 602; do
        chmod "$mode" server.key
        run -3 dsgd-ps "${run_opts[@]}" -l tls:localhost:0 --cert server.pem --cert-key server.key --ca ca.pem
        assert_output --partial "server.key: group or others can use it (mode 0$mode)"
    done
}

@test "what has no proof, too little, too much or nothing to protect is refused" {
    local tls=(-l tls:localhost:0)
    run -2 dsgd-ps "${run_opts[@]}" "${tls[@]}"
    assert_output --partial 'tls: needs a key (--key-file), or certificates'
    run -2 dsgd-ps "${run_opts[@]}" "${tls[@]}" --cert x
    assert_output --partial 'belong together'
    run -2 dsgd-ps "${run_opts[@]}" "${tls[@]}" --key-file key --cert x --cert-key x --ca x
    assert_output --partial 'exclude each other'
    run -2 dsgd-ps "${run_opts[@]}" -l tcp:localhost:0 --key-file key
    assert_output --partial 'are for tls: addresses, and there is none'
    run -2 dsgd-worker -c tls:localhost:1 d.svm
    assert_output --partial 'tls:localhost:1: tls: needs a key'
    run -2 dsgd-worker -c tcp:localhost:1 --key-file key d.svm
    assert_output --partial 'protect tls: addresses alone'
    echo tcp:localhost:1 > where
    run -2 dsgd-worker -c @where --key-file key d.svm
    assert_output --partial 'protect tls: addresses alone'
    run -2 dsgd-ps "${run_opts[@]}" -l tls:localhost:0/00112233445566778899aabbccddeeff --key-file key
    assert_output --partial 'nothing stands behind the port'
}

@test "sync over TLS ends in the bytes that it ends in over a socket file" {
    run_opts=(-q -m logistic -b 4 -P 2 -J 20 -e 0.1 -s 5)
    serve plain dsgd-ps "${run_opts[@]}" -o plain -l unix:s
    background one dsgd-worker -q -c unix:s -r 0 d.svm
    dsgd-worker -q -c unix:s -r 1 d.svm
    wait "$server"
    listen -o guarded --key-file key --address-file where
    background two dsgd-worker -q -c @where --key-file key -r 0 d.svm
    dsgd-worker -q -c "$address" --key-file key -r 1 d.svm
    wait "$server"
    dsgd-eval -m plain --export csv > plain.csv
    dsgd-eval -m guarded --export csv > guarded.csv
    assert_files_equal plain.csv guarded.csv
    [ ! -s two.err ]
}

@test "every family of policies works over TLS, frames of 4 MB too, and every minibatch is accounted for" {
    local policy
    { cat d.svm && echo 1 1000000:1; } > wide.svm
    for policy in k-sync:1 k-batch-sync:2 async k-async:1 k-batch-async:2; do
        run_opts=(-q -m logistic -b 4 -P 2 -J 12 -p "$policy" -t trace -o model)
        rm -f trace
        listen --key-file key
        background one dsgd-worker -q -c "$address" --key-file key wide.svm
        dsgd-worker -q -c "$address" --key-file key wide.svm
        wait "$server"
        dsgd-trace summary trace | awk -F '\t' -v policy="$policy" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            $at["worker"] == "all" { seen = $at["updates"] == 12 && $at["started"] == $at["used"] + \
                $at["cancelled"] + $at["late"] + $at["dropped"] + $at["unfinished"] }
            END { if (!seen) print policy; exit !seen }'
    done
}

@test "another key, or none, is told to both sides at once, and the server goes on" {
    dsgd-ps --make-key other
    listen --key-file key
    refuses 'the server has another key (--key-file), or none' 'the worker has another key (--key-file)' --key-file other
    if command -v openssl > /dev/null; then
        as worker
        refuses 'certificate' 'the worker has another key (--key-file), or none' "${who[@]}"
    fi
    finish --key-file key
}

@test "certificates let in those of the authority alone: not another's, not expired, not none, not for a key" {
    needs_openssl
    as server
    listen "${who[@]}"
    as stranger
    refuses 'the server refused this side' 'the certificate of the worker is refused: unable to get' "${who[@]}"
    as late
    refuses 'the server refused this side' 'the certificate of the worker is refused: certificate has expired' "${who[@]}"
    refuses 'has another key (--key-file), or none' 'the worker' --key-file key
    run openssl s_client -connect "${address#tls:}" -CAfile "$BATS_FILE_TMPDIR/ca.pem" < /dev/null
    eventually grep -q 'peer did not return a certificate' ps.err
    as worker
    finish "${who[@]}"
}

@test "a worker believes a server of its authority that has the name it was given, and no other" {
    needs_openssl
    local case name why
    for case in 'elsewhere hostname mismatch' 'stranger unable to get local issuer' \
        'late certificate has expired'; do
        read -r name why <<< "$case"
        as "$name"
        listen "${who[@]}"
        as worker
        refuses "the certificate of the server is refused: $why" 'the worker refused this side' "${who[@]}"
        kill "$server"
        wait "$server" || true
    done
    as elsewhere
    listen "${who[@]}"
    as worker
    address=tls:127.0.0.1:${address##*:} # by its number: the same
    refuses 'the certificate of the server is refused: IP address mismatch' 'the worker refused this side' "${who[@]}"
    kill "$server"
    wait "$server" || true
    as server
    listen "${who[@]}"
    as worker
    address=tls:127.0.0.1:${address##*:}
    finish "${who[@]}"
}

@test "a certificate is no proof where a key is shared, and TLS 1.2 is none" {
    needs_openssl
    mkfifo said silence
    openssl s_server -accept 127.0.0.1:0 -tls1_3 -cert "$BATS_FILE_TMPDIR/server.pem" \
        -key "$BATS_FILE_TMPDIR/server.key" > said 2> /dev/null <> silence 3>&- &
    echo $! >> .background
    local from
    exec {from}< said
    while read -r -t 20 line <&"$from"; do
        [[ $line != ACCEPT* ]] || break
    done
    run -5 timeout 60 dsgd-worker -q -c "tls:${line#ACCEPT }" --key-file key d.svm
    assert_output --partial 'the server has another key (--key-file), or none'
    listen --key-file key
    run -1 openssl s_client -tls1_2 -connect "${address#tls:}" < /dev/null
    eventually grep -q 'unsupported protocol' ps.err
    finish --key-file key
}

@test "who does not speak TLS is told so, and so is who speaks it to an address that does not" {
    listen --key-file key
    run -5 timeout 60 dsgd-worker -q -c "tcp:${address#tls:}" d.svm
    assert_output --partial "this address speaks TLS: a worker's has to begin with tls:"
    finish --key-file key
    serve plain dsgd-ps "${run_opts[@]}" -l tcp:127.0.0.1:0
    plain=${address%/*}
    run -5 timeout 60 dsgd-worker -q -c "tls:${plain#tcp:}" --key-file key d.svm
    assert_output --partial 'the server does not speak TLS there'
    dsgd-worker -q -c "$address" d.svm
    wait "$server"
}

# A connection of bash to the server, as descriptor $stranger.
connect() {
    exec {stranger}<> "/dev/tcp/127.0.0.1/${address##*:}"
}

@test "garbage before the handshake, in it and behind it closes that connection, and nothing is read as a frame" {
    listen --key-file key
    connect
    head -c 4000 /dev/zero >&"$stranger"
    eventually grep -q 'this address speaks TLS' ps.err
    exec {stranger}>&-
    connect
    printf '\x16\x03\x01\x00\x05garbage garbage garbage' >&"$stranger"
    eventually grep -q 'has another key (--key-file), or none: ' ps.err
    exec {stranger}>&-
    connect
    printf '\x16\x03\x01\xff\xff' >&"$stranger"
    eventually grep -q 'or none: packet length too long' ps.err
    exec {stranger}>&-
    finish --key-file key
    run ! grep -e 'a dsgd peer' -e HELLO ps.err
}

@test "a handshake that does not come to its end is closed at the limit, however it trickles" {
    run_opts=(-m logistic -P 1 -J 1 -o model --join-timeout 1s)
    listen --key-file key -l "unix:$PWD/sock"
    wire w0 "unix:$PWD/sock"
    tell w0 hello 0 3 100 -1 +1
    start 1
    connect
    printf '\x16\x03\x01\x02\x00\x01' >&"$stranger"
    trickles() { { printf x >&"$stranger"; } 2> /dev/null; grep -q 'no HELLO came within 1 s' ps.err; }
    eventually trickles
    exec {stranger}>&-
    tell w0 grad 0 0 1
    hears w0 bye
    hang_up w0
    wait "$server"
}
