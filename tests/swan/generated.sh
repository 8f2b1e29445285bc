# SPDX-License-Identifier: Apache-2.0
# Generated programs: the share of writes is what was asked for, some schedule breaks an insufficient
# fix, and none that is tried the right one.
for shape in 30 11 1; do
    "$HERE/generate" "$shape" 4 1 "$shape" >/dev/null
    for version in buggy insufficient right; do
        "$HEDDLE" cc -Wall -Wextra -Werror -g "$shape/$version.c" -o "$shape/$version"
    done
    for version in buggy insufficient; do
        if "$HEDDLE" run --policy pos --runs 300 --until fail -- "$shape/$version" >/dev/null; then
            echo "$shape: $version does not fail"
        fi
    done
    "$HEDDLE" run --policy pos --runs 20 -- "$shape/right" | cut -c 1-33 || echo "$shape: right fails"
done
# The share of writes among the accesses of the threads to records, in percent.
for shape in 30 11 1; do
    "$HERE/generate" "$shape" 32 1 "share-$shape" >/dev/null
    "$HEDDLE" cc -g "share-$shape/right.c" -o "share-$shape/right"
    "$HEDDLE" run -- "share-$shape/right"
    "$HEDDLE" trace dump right.heddle/runs/last/trace | awk '
        $1 != "T0" && $3 ~ /^records/ && ($2 == "read" || $2 == "write") { count[$2]++ }
        END { printf "%.1f %%\n", 100 * count["write"] / (count["read"] + count["write"]) }'
done

"$HERE/generate" 11 128 1 many
cmp <("$HERE/generate" 11 128 1 again && cat again/*) <("$HERE/generate" 11 128 1 other && cat other/*)
"$HEDDLE" cc -Wall -Wextra -Werror -g many/right.c -o many/right
"$HEDDLE" run -- many/right && echo "128 threads: passes"
