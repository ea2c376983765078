# Means over seeds, snapshot by snapshot, of what dsgd-eval says of runs: files DATA_FIGURE_LINE_SEED.curve,
# the seeds of a line one after the other.
function flush(    i) {
    for (i = 1; i <= n; i++)
        print line, iteration[i], time[i] / seeds, loss[i] / seeds, error[i] / seeds
    split("", time); split("", loss); split("", error)
    n = seeds = 0
}
BEGIN { FS = OFS = "\t"; print "line", "iteration", "time", "loss", "error" }
FNR == 1 {
    split(FILENAME, path, "_")
    if (path[3] != line)
        flush()
    line = path[3]
    seeds++
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
{
    n = FNR - 1
    iteration[n] = $at["iteration"]
    time[n] += $at["time"]
    loss[n] += $at["loss"]
    error[n] += $at["error"]
}
END { flush() }
