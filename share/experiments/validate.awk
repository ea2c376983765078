# The rows of one policy out of lines "kind seed quantity value": means over the seeds, what the theory says
# of 8 workers and exponential times of mean 20 ms (the median of the seeds' ratios for the time of an
# update, the ratio of the means else). Fails when a ratio is outside its limits.
function harmonic(n,    sum) {
    for (; n > 0; n--)
        sum += 1 / n
    return sum
}
function theory(quantity,    K) {
    K = policy ~ /:/ ? substr(policy, index(policy, ":") + 1) : policy == "sync" ? P : 1
    if (quantity == "s/update")
        return mean * (policy ~ /batch/ || policy == "async" ? K / P : harmonic(P) - harmonic(P - K))
    if (quantity == "staleness")
        return policy ~ /batch-async/ || policy == "async" ? (P - 1) / K : policy ~ /async/ ? P / K - 1 : 0
    return "NA"
}
function median(n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && r[j] < r[j - 1]; j--) {
            t = r[j]; r[j] = r[j - 1]; r[j - 1] = t
        }
    return r[int((n + 1) / 2)]
}
BEGIN {
    OFS = "\t"
    P = 8
    mean = 0.02
    low["s/update"] = 0.98; high["s/update"] = 1.10
    low["staleness"] = 0.95; high["staleness"] = 1.05
}
!($3 in seen) { quantity[++quantities] = $3; seen[$3] }
{
    value[$1, $2, $3] = $4
    total[$1, $3] += $4
    never[$3] += $4 == "never"
    seeds = $2 > seeds ? $2 : seeds
}
END {
    for (i = 1; i <= quantities; i++) {
        q = quantity[i]
        simulated = total["simulated", q] / seeds
        measured = total["measured", q] / seeds
        for (s = 1; s <= seeds; s++)
            r[s] = value["simulated", s, q] > 0 ? value["measured", s, q] / value["simulated", s, q] : 1
        ratio = q == "s/update" ? median(seeds) : simulated > 0 ? measured / simulated : 1 + measured
        from = q in low ? low[q] : 0.9
        to = q in high ? high[q] : 1.1
        met = !never[q] && ratio >= from && ratio <= to
        missed += !met
        printf "%s\t%s\t%s\t%.5g\t%.5g\t%.3f\t%.2f-%.2f\t%s\n", policy, q, theory(q), simulated, measured, ratio,
            from, to, never[q] ? "NEVER" : met ? "yes" : "NO"
    }
    exit missed > 0
}
