# E[X_{K:P}], the mean of the K-th smallest of P times, and the mean of one, for the laws of the Makefile.

# exp: H_P - H_{P-K}; shifted: 1 more; pareto of shape 2: a product, as Gamma(i+1)/Gamma(i+1/2) moves by one.
function order(law, k, p,    i, sum, product) {
    product = 1
    for (i = p - k + 1; i <= p; i++) {
        sum += 1 / i
        product *= i / (i - 0.5)
    }
    return law == "pareto" ? product : sum + (law == "shifted")
}

function mean(law) {
    return order(law, 1, 1)
}
