# What holds with equality in every trace, whatever the delays were:
#
#   awk -f identities.awk TRACE...
#
# Prints "FILE:LINE: what is broken" for each break and then fails. Says nothing of a good trace.
#
# - minibatches of a worker are numbered one after the other, and each of them is used, cancelled,
#   late, dropped or unfinished, once;
# - a gradient was computed on the version its grant named; its staleness is the number of updates since;
# - an update's n is the number of pushes since the one before; updates are numbered one by one;
# - sync, k-sync, k-async: an update has n different workers; n = K while all workers are there;
# - sync, k-sync, k-batch-sync: staleness is 0, and nothing outlives an update;
# - ssp:S: staleness is at most (2S + 1)(P - 1); bounded:R: below R;
# - adasync: as its family, with the K that was set last;
# - async, k-async: sum of staleness = sum of v - sum of n; k-batch-async: = sum of v - J, with v the
#   version last granted to each worker, read just after the last update with its grants, less the
#   version at its joining, summed over joins.

BEGIN {
    FS = "\t"
    column_names = "time event worker seq version iteration staleness rows compute delay loss note"
}

function broken(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    failed = 1
}

function expect(holds, what) {
    if (!holds)
        broken(what)
}

# The value of a key of line 1; good enough for texts and numbers that we wrote ourselves.
function meta(line, key) {
    if (!match(line, "\"" key "\":(\"[^\"]*\"|[0-9]+)"))
        return ""
    line = substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    gsub(/"/, "", line)
    return line
}

function begin_trace(line,    spec) {
    split("", state); split("", granted); split("", started); split("", count)
    split("", version); split("", base); split("", here); split("", buffered); split("", seen)
    split("", held)
    updates = pushes = used_staleness = combined = sum_v = snapshot = fresh = strangers = 0
    time = 0
    complete = 1
    stopped = 0
    P = meta(line, "P")
    split(meta(line, "policy"), spec, /[:,]/)
    family = spec[1]
    K = spec[2]
    bound = -1
    sub(/^[A-Z]=/, "", K)
    if (family == "sync")
        K = P
    if (family == "ssp")
        bound = (2 * K + 1) * (P - 1)
    if (family == "bounded")
        bound = K - 1
    if (family == "async" || bound >= 0)
        K = 1
    stops = family == "bounded" && meta(line, "policy") !~ /drop/
    if (family == "adasync") {
        family = spec[2]
        K = match(line, /K0=[0-9]+/) ? substr(line, RSTART + 3, RLENGTH - 3) + 0 : 1
    }
    expect(P > 0 && K > 0, "line 1 names no P or policy")
    distinct = family == "sync" || family == "k-sync" || family == "k-async"
    voids = family == "sync" || family == "k-sync" || family == "k-batch-sync"
}

# The sum of v as of now: what earlier joins moved, and what the present ones did.
function sum_of_v(    w, sum) {
    sum = sum_v
    for (w in version)
        sum += version[w] - base[w]
    return sum
}

# The grants of an update end with the first line that is none.
function grants_end() {
    if (fresh)
        snapshot = sum_of_v()
    fresh = 0
}

# The one seq of a worker changes its state.
function move(from, to,    key) {
    key = $3 SUBSEP $4
    expect((key in state) && index(from, state[key]) > 0,
           $2 " of worker " $3 ", minibatch " $4 ", which is " ((key in state) ? state[key] : "unknown"))
    state[key] = to
    count[$3, to]++
}

function on_join() {
    if ($3 in version)
        sum_v += version[$3] - base[$3]
    version[$3] = base[$3] = $5
    here[$3] = 1
}

function on_send(    key) {
    expect($5 == updates, "granted version " $5 " after " updates " updates")
    version[$3] = $5
    if ($4 == "NA")
        return
    key = $3 SUBSEP $4
    expect(here[$3], "a minibatch for worker " $3 ", who is not there")
    expect($4 == started[$3] + 0, "minibatch " $4 " of worker " $3 ": " started[$3] + 0 " must follow")
    started[$3]++
    state[key] = "live"
    granted[key] = $5
}

function on_push(    key) {
    key = $3 SUBSEP $4
    move("live", "buffered")
    held[pushes++] = key
    buffered[key] = $7
    expect($6 == updates, "iteration " $6 " after " updates " updates")
    expect($5 == granted[key], "computed on version " $5 ", granted was " granted[key])
    expect($7 == $6 - $5, "staleness " $7 ", iteration less version is " $6 - $5)
    expect(!voids || $7 == 0, "staleness " $7 " under " family)
    expect(bound < 0 || $7 <= bound, "staleness " $7 " under " family ": at most " bound)
    if (seen[$3] == updates + 1)
        expect(!distinct, "worker " $3 " twice in an update")
    seen[$3] = updates + 1
}

function on_update(    i) {
    expect($6 == updates + 1, "update " $6 " after " updates)
    expect($12 == "n=" pushes, $12 ", pushes since the last update: " pushes)
    expect(pushes > 0 && (!complete || pushes == K), "update of " pushes " gradients, K = " K)
    expect(pushes <= K, "update of " pushes " gradients, K = " K)
    for (i = 0; i < pushes; i++) {
        used_staleness += buffered[held[i]]
        state[held[i]] = "used"
    }
    combined += pushes
    updates++
    pushes = 0
    fresh = 1
}

function on_leave() {
    if ($5 != "NA")
        version[$3] = $5
    if ($4 != "NA")
        move("live void", "unfinished")
    here[$3] = 0
    complete = 0
}

function end_trace(    key, parts, left, w) {
    grants_end()
    expect(stopped, "no stop line")
    if (family == "async" || family == "k-async")
        expect(used_staleness == snapshot - combined,
               "staleness adds up to " used_staleness ", versions less gradients to " snapshot - combined)
    if (family == "k-batch-async")
        expect(used_staleness == snapshot - updates,
               "staleness adds up to " used_staleness ", versions less updates to " snapshot - updates)
    # started = used + cancelled + late + dropped + unfinished, from the states.
    for (key in state) {
        split(key, parts, SUBSEP)
        left[parts[1]]++
        if (voids && updates > 0 && state[key] == "live")
            expect(granted[key] == updates, "minibatch " parts[2] " of worker " parts[1] " outlived an update")
    }
    for (w in started)
        expect(left[w] == started[w], "worker " w " started " started[w] ", known of are " left[w])
}

FNR == 1 {
    if (NR > 1)
        end_trace()
    expect(index($0, "# dsgd-trace 1 {") == 1, "not a trace")
    begin_trace($0)
    next
}
FNR == 2 {
    header = $0
    gsub(/\t/, " ", header)
    expect(header == column_names, "columns are " header)
    next
}
{
    expect(NF == 12, NF " columns")
    expect($1 + 0 >= time, "time goes back")
    time = $1 + 0
}
# A run that goes on gives the grants of its checkpoint's update when it has taken stock.
$2 == "set" && $12 ~ /^resumed/ { resuming = fresh }
$2 ~ /^(join|push|update|stop)$/ { resuming = 0 }
$2 != "send" && $2 != "leave" && !resuming { grants_end() }
$2 == "join" { on_join(); next }
$2 == "send" { on_send(); next }
$2 == "push" { on_push(); next }
$2 == "update" { on_update(); next }
$2 == "void" { expect(voids || stops, "nothing is void under " family); move("live", "void"); next }
$2 == "cancelled" { move(here[$3] ? "void" : "live void", "cancelled"); next }
$2 == "late" { move("void", "late"); next }
$2 == "drop" { move("live", "dropped"); next }
$2 == "gone" { here[$3] = 0; complete = 0; next }
$2 == "leave" { on_leave(); next }
$2 == "stop" { stopped = 1; expect($6 == updates, "stop after " updates " updates says " $6); next }
$2 == "set" { if ($12 ~ /^K=/) K = substr($12, 3) + 0; next }
{ broken("unknown event " $2) }
END {
    end_trace()
    exit failed
}
