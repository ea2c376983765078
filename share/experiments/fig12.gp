set title "Fig. 12: the same runs over time, ".data.", 8 workers, step ".step
set xlabel "time, s (a minibatch takes 1 s + exponential of mean 1 s)"
eval loss_axis
set xrange [0:500]
set key inside top right
plot for [k in "2 4 8"] table using 3:(is("k-sync.".k, 4)) with lines lt int((k + 2) / 3) title "k-sync:".k
