# CIFAR-10 records as od prints them, a label and 1,024 bytes each of red, green and blue, as rows of 1,024
# grey values from 0 to 1 and the label.
{
    for (i = 1; i <= NF; i++) {
        byte[n++] = $i
        if (n == 3073) {
            for (j = 1; j <= 1024; j++)
                printf "%.5g,", (0.2989 * byte[j] + 0.5870 * byte[j + 1024] + 0.1140 * byte[j + 2048]) / 255
            print byte[0]
            n = 0
        }
    }
}
