# Seconds of 2,000 updates, out of lines "law P policy K seconds": of dsgd-plan, *.plan, then of simulations.
# For K-async there is no formula.
BEGIN { OFS = "\t"; print "law", "policy", "K", "seconds", "theory" }
FILENAME ~ /plan$/ { theory[$1, $3, $4] = 2000 * $5; next }
{ print $1, $3, $4, 2000 * $5, ($1, $3, $4) in theory ? theory[$1, $3, $4] : "NA" }
