# A run. Table, by blocks: 0 to 3 minibatches that were used, cancelled, late or dropped, unfinished (worker, from,
# to); 4 times of updates; 5 staleness, percent, gradients. timeline, staleness: which of both panels; workers,
# ended, until (what of it is shown), updates, stalest.
if (timeline > 0 && staleness > 0) { set multiplot layout 2,1 }
if (timeline > 0) {
    set title until < ended ? sprintf("What the workers did: the first %.3g s of %.3g s", until, ended) : "What the workers did"
    set xlabel "time, s"
    set ylabel "worker"
    set xrange [0:until]
    set yrange [workers - 0.4:-0.6]
    if (workers <= 16) { set ytics 1 } else { set ytics autofreq }
    unset grid
    set key outside right center
    set style fill solid 1 noborder
    plot table index 4 using 1:(-0.6):(0):(workers + 0.2) with vectors nohead lw 0.7 lc rgb "#aaaaaa" title "update", \
         table index 0 using (($2 + $3) / 2):1:2:3:($1 - 0.36):($1 + 0.36) with boxxyerror lc rgb "#56b4e9" title "used", \
         table index 1 using (($2 + $3) / 2):1:2:3:($1 - 0.36):($1 + 0.36) with boxxyerror lc rgb "#d55e00" title "cancelled", \
         table index 2 using (($2 + $3) / 2):1:2:3:($1 - 0.36):($1 + 0.36) with boxxyerror lc rgb "#e69f00" title "late, dropped", \
         table index 3 using (($2 + $3) / 2):1:2:3:($1 - 0.36):($1 + 0.36) with boxxyerror lc rgb "#bbbbbb" title "unfinished", \
         for [i = 0:3] table index i using 3:1:(0):(0.36) with vectors nohead lw 1 lc rgb "#000000" notitle, \
         for [i = 0:3] table index i using 3:1:(0):(-0.36) with vectors nohead lw 1 lc rgb "#000000" notitle
}
if (staleness > 0) {
    set title sprintf("How stale the gradients were that %d updates used", updates)
    set xlabel "staleness of a gradient, updates"
    set ylabel "share of gradients, %"
    set xrange [-0.7:(stalest < 5 ? 5 : stalest) + 0.7]
    set yrange [0:*]
    set ytics autofreq
    if (stalest <= 20) { set xtics 1 } else { set xtics autofreq }
    set grid
    unset label
    unset key
    set boxwidth 0.8
    set style fill solid 0.85 noborder
    plot table index 5 using 1:2 with boxes lc rgb "#0072b2"
}
if (timeline > 0 && staleness > 0) { unset multiplot }
