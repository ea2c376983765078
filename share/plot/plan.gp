# Points of a plan. Table: a block a policy, x, y and K of each point; then those that no other beats. heading, xlabel,
# ylabel, names, blocks.
set title heading.in_text(ylabel) noenhanced
set xlabel xlabel noenhanced
set ylabel ylabel noenhanced
set key noenhanced outside bottom center horizontal
stats table using 1 name "X" nooutput
stats table using 2 name "Y" nooutput
range(axis, a, b) = b > 1.5 * a && a > 0 ? sprintf("set %srange [%g:%g]", axis, a / (b / a)**0.08, b * (b / a)**0.08) : \
  sprintf("set %srange [%g:%g]", axis, a > 0 ? a * 0.9 : -(b > 0 ? b : 1) * 0.05, b > 0 ? b * 1.1 : 1)
eval X_min > 0 ? log_axis("x", X_min, X_max) : ""
eval Y_min > 0 ? log_axis("y", Y_min, Y_max) : ""
eval range("x", X_min, X_max)
eval range("y", Y_min, Y_max)
if (kind eq "dumb") {
    plot for [i = 1:blocks] table index i - 1 using 1:2 with points lt i title names[i], \
         table index blocks using 1:2 with points lt 8 title "no other is better in both"
} else {
    plot for [i = 1:blocks] table index i - 1 using 1:2 with linespoints lt i lw 1 title names[i], \
         for [i = 1:blocks] table index i - 1 using 1:2:(sprintf("%g", $3)) with labels offset 0,0.8 font ",9" notitle, \
         table index blocks using 1:2 with points pt 6 ps 2.6 lw 2 lc rgb "#888888" title "no other is better in both", \
         NaN with points pt -1 title "numbers: K"
}
