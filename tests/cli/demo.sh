# SPDX-License-Identifier: Apache-2.0
# Every bundled example shows the bug that it is there for, confirmed, from one passing run.
"$HEDDLE" demo | while read -r name pattern _; do
    "$HEDDLE" demo "$name" >/dev/null </dev/null || test $? = 1
    "$HEDDLE" list --all --dir "$name.heddle" | awk -v name="$name" -v pattern="$pattern" '
        $1 ~ "^" pattern "-" && $2 == "confirmed" { found = 1 }
        END { print name, pattern, found ? "confirmed" : "not confirmed" }'
done
