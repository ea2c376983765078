# Bounds of the error after a time, out of lines "law P policy K seconds": Lemma 2 for sync, Theorem 3 for
# async with gamma' = 1 - gamma + p0 / 2, m = 1, p0 = 1 / P.
BEGIN { OFS = "\t"; print "policy", "time", "bound" }
{
    contraction = $3 == "sync" ? 1 : 1 - gamma + 1 / (2 * P)
    together = $3 == "sync" ? P : 1
    floor = eta * L * sigma2 / (2 * c * contraction * together)
    for (i = 0; i <= 400; i++) {
        time = end * i / 400
        print $3, time, floor + exp(log(1 - eta * c * contraction) * time / $5) * (gap - floor)
    }
}
