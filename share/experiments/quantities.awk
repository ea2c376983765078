# What validate compares, out of a trace's summary and the scores of its snapshots: seconds an update, mean
# staleness, and the time at which each of three losses was reached, between two snapshots by a straight line.
BEGIN { FS = "\t"; OFS = " "; n = split("1.2 0.9 0.7", goal, " ") }
FNR == 1 {
    file++
    split("", at)
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
file == 1 && $at["worker"] == "all" {
    print "s/update", $at["seconds"] / $at["updates"]
    print "staleness", $at["staleness_mean"]
}
file == 2 {
    time = $at["time"]
    loss = $at["loss"]
    while (next_goal < n && loss <= goal[next_goal + 1]) {
        part = FNR == 2 ? 0 : (before - goal[next_goal + 1]) / (before - loss)
        print "s-to-loss-" goal[++next_goal], then + part * (time - then)
    }
    before = loss
    then = time
}
END {
    while (next_goal < n)
        print "s-to-loss-" goal[++next_goal], "never"
}
