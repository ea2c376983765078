# E[T_sync] / E[T_async] (Theorem 1), out of lines "law P policy K seconds": of dsgd-plan, *.plan, then of
# simulations.
BEGIN { OFS = "\t"; print "law", "P", "ratio", "theory" }
FILENAME ~ /plan$/ { theory[$1, $2, $3] = $5; next }
$3 == "sync" { sync = $5; next }
{ print $1, $2, sync / $5, theory[$1, $2, "sync"] / theory[$1, $2, "async"] }
