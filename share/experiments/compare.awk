# The paper's numbers (paper.tsv) beside those of fig5.tsv and fig6.tsv; fails when one is 2 % off.
BEGIN { FS = OFS = "\t" }
FNR == 1 { part++; next }
part == 1 { paper[++n] = $1 OFS $2 OFS $3 OFS $4; number[n] = $5; next }
part == 2 { ours["fig5" OFS $1 OFS "sync/async" OFS $2] = $3 }
part == 3 { ours["fig6" OFS $1 OFS $2 OFS $3] = $4 }
END {
    print "figure", "law", "policy", "P or K", "paper", "here", "ratio", "within 2 %"
    for (i = 1; i <= n; i++) {
        if (!(paper[i] in ours))
            continue
        ratio = ours[paper[i]] / number[i]
        met = ratio > 0.98 && ratio < 1.02
        bad += !met
        rows++
        printf "%s\t%s\t%.5g\t%.3f\t%s\n", paper[i], number[i], ours[paper[i]], ratio, met ? "yes" : "NO"
    }
    exit bad > 0 || rows == 0
}
