# Lines over time. Table: a block a line, time and value. heading, ylabel, names, blocks; wide: time in logarithms;
# x0, x1, y0, y1: what there is above 0.
set title heading.in_text(ylabel) noenhanced
set xlabel "time, s"
set ylabel ylabel noenhanced
set key noenhanced outside bottom center horizontal
eval log_axis("y", y0, y1)
set yrange [y0 / 1.05:y1 * 1.05]
if (wide > 0) { eval log_axis("x", x0, x1); set xrange [x0:x1] } else { set xrange [0:*] noextend }
dash(i) = i > 8 ? 2 : 1
plot for [i = 1:blocks] table index i - 1 using 1:2 with lines lt i dt dash(i) title names[i]
