set title "Fig. 9: a step that looks at staleness, ".data.", async, 40 workers"
set xlabel "updates"
eval loss_axis
set key outside bottom center horizontal
plot table using 2:(is("fixed", 4)) with lines lt 2 lw 1 title "fixed step ".step, \
     table using 2:(is("variable", 4)) with lines lt 1 title "eq. 13, at most ".step
