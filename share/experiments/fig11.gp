set title "Fig. 11: training loss, update by update, ".data.", 8 workers, step ".step
set xlabel "updates"
eval loss_axis
set key inside top right
plot for [k in "2 4 8"] table using 2:(is("k-sync.".k, 4)) with lines lt int((k + 2) / 3) title "k-sync:".k
