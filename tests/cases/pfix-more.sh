# SPDX-License-Identifier: Apache-2.0
# The programs that look like parts of larger ones: each can fail, in one of the ways that its head
# says; its twin does not.
for file in $(grep -l '^//~ fails' "$TOP"/tests/pfix/more/*/*.c "$TOP"/tests/pfix/more/*/*.cpp); do
    code=0
    "$TOP/tests/pfix/each" "$file" run --runs 200 --policy pos --until fail >out 2>err || code=$?
    test $code = 1 || { echo "$file: exit code $code"; cat out err; exit 1; }
    fails=$(sed -n 's,^//~ fails: ,,p' "$file" | sed 's/, */|/g')
    sed -n 2p out | grep -qE "^($fails)" || { echo "$file: not $fails"; cat out; exit 1; }
    right=$(dirname "$file")/right/$(basename "$file")
    "$TOP/tests/pfix/each" "$right" run --runs 20 --policy pos >out 2>err || { echo "$right"; cat out err; exit 1; }
done
