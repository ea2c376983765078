set title "Fig. 10: training loss over time, ".data.", 10 workers, K = 8, step ".step
set xlabel "time, s (a minibatch is exponential of mean 1 s)"
eval loss_axis
set key inside top right
plot table using 3:(is("k-async.8", 4)) with lines lt 1 title "k-async:8", \
     table using 3:(is("k-batch-async.8", 4)) with lines lt 2 title "k-batch-async:8"
