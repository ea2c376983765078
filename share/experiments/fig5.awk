# E[T_sync] / E[T_async] (Theorem 1: P E[X_{P:P}] / E[X]), out of lines "law P policy K seconds".
BEGIN { OFS = "\t"; print "law", "P", "ratio", "theory" }
$3 == "sync" { sync = $5; next }
{ print $1, $2, sync / $5, $2 * order($1, $2, $2) / mean($1) }
