set title "Fig. 8: training loss over time, ".data.", 8 workers, 500 updates each, step ".step
set xlabel "time, s (a minibatch is exponential of mean 1 s)"
eval loss_axis
set logscale x
set key inside bottom left
lines = "sync k-batch-async.4 async"
name(line) = line eq "k-batch-async.4" ? "k-batch-async:4" : line
plot for [i = 1:3] table using 3:(is(word(lines, i), 4)) with lines lt i title name(word(lines, i))
