set title "Fig. 7: the theory's bounds of the error, same step, 8 workers, a minibatch is exponential of mean 1 s"
set xlabel "time, s"
set ylabel "bound of E[F(w)] - F^*"
set logscale y
set format y "10^{%L}"
set format x "%.0f"
set key inside top right
plot table using 2:(is("sync", 3)) with lines lt 1 title "sync", \
     table using 2:(is("async", 3)) with lines lt 2 title "async"
