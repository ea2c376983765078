# Seconds of 2,000 updates, out of lines "law P policy K seconds". K-sync: Lemma 3; K-batch-async: Lemma 4;
# for K-async there is no formula.
BEGIN { OFS = "\t"; print "law", "policy", "K", "seconds", "theory" }
{
    theory = "NA"
    if ($3 == "k-sync")
        theory = 2000 * order($1, $4, $2)
    if ($3 == "k-batch-async")
        theory = 2000 * $4 * mean($1) / $2
    print $1, $3, $4, 2000 * $5, theory
}
