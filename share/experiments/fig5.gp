set title "Fig. 5: how much longer an update of sync takes than one of async"
set xlabel "workers P"
set ylabel "E[T_{sync}] / E[T_{async}]"
set logscale y
set xrange [0:21]
set xtics 2
set key inside bottom right title "time of a minibatch" left
laws = "pareto exp shifted"
name(law) = law eq "pareto" ? "Pareto, shape 2, least 1 s" : law eq "exp" ? "exponential, mean 1 s" : "1 s + exponential, mean 1 s"
plot for [i = 1:3] table using 2:(is(word(laws, i), 4)) with lines lt i notitle, \
     for [i = 1:3] table using 2:(is(word(laws, i), 3)) with points lt i title name(word(laws, i)), \
     NaN with lines lt 4 lc rgb "#888888" title "lines: theory", \
     NaN with points lt 4 pt 6 lc rgb "#888888" title "points: simulated"
