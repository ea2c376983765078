# What all pictures share: those of dsgd-trace plot and the figures of share/experiments. Set before: kind (svg,
# png, pdf or dumb), picture (a file; '' is standard output), and table, a TSV.
if (kind eq "svg") {
    set terminal svg size 800,500 enhanced font "sans,14" background rgb "white"
} else { if (kind eq "png") {
    set terminal pngcairo size 1120,700 enhanced font "sans,14"
} else { if (kind eq "pdf") {
    set terminal pdfcairo size 8in,5in enhanced font "sans,12"
} else {
    set terminal dumb size 78,24 noenhanced
} } }
if (picture ne "") { set output picture }
set datafile separator "\t"
set datafile missing "NA"
set border 3
set tics nomirror out
if (kind ne "dumb") { set grid lc rgb "#dddddd" lw 1 lt 1 }
set key outside right center Left reverse samplen 2 spacing 1.3
# Colours that the colour-blind can tell apart.
set linetype 1 lc rgb "#0072b2" lw 2.5 pt 7 ps 0.9
set linetype 2 lc rgb "#d55e00" lw 2.5 pt 5 ps 0.9
set linetype 3 lc rgb "#009e73" lw 2.5 pt 9 ps 1.1
set linetype 4 lc rgb "#000000" lw 2.5 pt 11 ps 1.1
set linetype 5 lc rgb "#cc79a7" lw 2.5 pt 13 ps 1.1
set linetype 6 lc rgb "#e69f00" lw 2.5 pt 6 ps 0.9
set linetype 7 lc rgb "#56b4e9" lw 2.5 pt 4 ps 0.9
set linetype 8 lc rgb "#888888" lw 2.5 pt 8 ps 1.1
set linetype cycle 8

# Rows of the table whose column 1, or columns 1 and 2, are so: `using 2:(is("exp", 3))`.
is(name, at) = strcol(1) eq name ? column(at) : NaN
both(name, second, at) = strcol(1) eq name && strcol(2) eq second ? column(at) : NaN

# For axes of the training loss: `eval loss_axis`.
loss_axis = 'set ylabel "training loss (mean cross-entropy)"; set logscale y; set autoscale y noextend; \
  set ytics (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 2.5, 3, 5, 10, 20, 50)'

# Text has no room beside the vertical axis: what that shows stands below the title.
in_text(ylabel) = kind eq "dumb" ? "\nupwards: ".ylabel : ""

# Where to put numbers on an axis in logarithms from a to b, so that there are some and not too many: `log_axis("y", a, b)`
# as text to eval.
log_digits(a, b) = b > 1e4 * a || (kind eq "dumb" && b > 100 * a) ? "1" : b > 8 * a ? "1 2 5" : "1 1.2 1.5 2 2.5 3 3.5 4 5 6 7 8 9"
log_axis(axis, a, b) = b > 1.5 * a ? sprintf("set logscale %s; set %stics () nomirror out; do for [d = floor(log10(%g)):ceil(log10(%g))] { \
  do for [m in '%s'] { set %stics add (sprintf('%%g', m * 10.0**d) m * 10.0**d) } }", axis, axis, a, b, log_digits(a, b), axis) : ""
