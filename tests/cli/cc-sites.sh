# What the pass finds in cc-sites.c is what its comments say, line by line.
"$HEDDLE" cc -w --heddle-list-sites "$HERE/cc-sites.c" > sites
awk -F'\t' '$4 != "function" && $4 != "stack" {
    split($2, at, ":"); line = at[length(at) - 1]
    word = $4
    if ($5 != "-") word = word " " $5
    if ($7 != "-" && $4 != "branch") word = $7 " " word
    found[line] = found[line] (found[line] == "" ? "" : ", ") word
} END { for (line in found) print line ": " found[line] }' sites | sort -n > got
grep -n '//~ [a-z]' "$HERE/cc-sites.c" | grep -v 'kind name' | sed 's/:.*\/\/~ /: /' | sort -n > expected
diff expected got
cut -f 3 sites | uniq
