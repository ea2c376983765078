set multiplot layout 1,2 title "Fig. 6: time of 2,000 updates, 20 workers"
set xlabel "gradients K in an update"
set ylabel "time, s"
set logscale y
set xrange [0:21]
set yrange [100:30000]
set format y "%.0f"
set key inside bottom right noreverse Right
policies = "k-sync k-async k-batch-async"
do for [law in "pareto shifted"] {
    set title law eq "pareto" ? "minibatch: Pareto, shape 2, least 1 s" : "minibatch: 1 s + exponential, mean 1 s"
    plot for [i = 1:3] table using 3:(both(law, word(policies, i), 5)) with lines lt i notitle, \
         for [i = 1:3] table using 3:(both(law, word(policies, i), 4)) with points lt i title word(policies, i), \
         NaN with lines lt 4 lc rgb "#888888" title "theory"
}
unset multiplot
