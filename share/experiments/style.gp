# What all pictures share. Set before: table (a TSV), picture (a file), kind (png or svg), data (what was
# trained on).
if (kind eq "svg") {
    set terminal svg size 800,500 enhanced font "sans,14" background rgb "white"
} else {
    set terminal pngcairo size 1120,700 enhanced font "sans,14"
}
set output picture
set datafile separator "\t"
set datafile missing "NA"
set border 3
set tics nomirror out
set grid lc rgb "#dddddd" lw 1 lt 1
set key outside right center Left reverse samplen 2 spacing 1.3
# Colours that the colour-blind can tell apart.
set linetype 1 lc rgb "#0072b2" lw 2.5 pt 7 ps 0.9
set linetype 2 lc rgb "#d55e00" lw 2.5 pt 5 ps 0.9
set linetype 3 lc rgb "#009e73" lw 2.5 pt 9 ps 1.1
set linetype 4 lc rgb "#000000" lw 2.5 pt 11 ps 1.1

# Rows of the table whose column 1, or columns 1 and 2, are so: `using 2:(is("exp", 3))`.
is(name, at) = strcol(1) eq name ? column(at) : NaN
both(name, second, at) = strcol(1) eq name && strcol(2) eq second ? column(at) : NaN

# For axes of the training loss: `eval loss_axis`.
loss_axis = 'set ylabel "training loss (mean cross-entropy)"; set logscale y; set autoscale y noextend; \
  set ytics (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 2.5, 3, 5, 10, 20, 50)'
