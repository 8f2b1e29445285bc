# SPDX-License-Identifier: Apache-2.0
# The 23 programs: each can fail, in one of the ways that its head says.
for file in "$TOP"/tests/pfix/*/*.c; do
    name=$(basename "$file" .c)
    test "$name" != right || continue
    code=0
    "$TOP/tests/pfix/each" "$file" run --runs 200 --policy pos --until fail >out 2>err || code=$?
    test $code = 1 || { echo "$name: exit code $code"; cat out err; exit 1; }
    fails=$(sed -n 's,^//~ fails: ,,p' "$file" | sed 's/, */|/g')
    sed -n 2p out | grep -qE "^($fails)" || { echo "$name: not $fails"; cat out; exit 1; }
done
