# How long minibatches take. Table: the bars (middle, density, width), then a block a law (duration, density). unit,
# completed, cut, last, names, blocks.
set title sprintf("How long a minibatch takes: %d completed, %d cut short", completed, cut).in_text(sprintf("density, 1/%s", unit))
set xlabel sprintf("duration of a minibatch (computation and delay), %s", unit)
set ylabel sprintf("density, 1/%s", unit)
set key noenhanced
set key inside top right
set xrange [0:last * 1.02]
stats table index 0 using 2 name "Y" nooutput
set yrange [0:Y_max * 1.3]
set style fill solid 0.35 noborder
if (kind eq "dumb") {
    plot table index 0 using 1:2 with impulses lt 8 title "seen", \
         for [i = 1:blocks] table index i using 1:2 with lines lt i title names[i]
} else {
    plot table index 0 using 1:2:3 with boxes lc rgb "#888888" title "seen", \
         for [i = 1:blocks] table index i using 1:2 with lines lt i title names[i]
}
