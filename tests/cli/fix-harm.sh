# The harm that `heddle check` shows is what a patch has to remove: the sum of the README's own
# example comes out wrong between the two halves of a payment, in a program that always exits 0.
cp "$TOP/examples/bank.c" .
"$HEDDLE" cc -g -pthread bank.c -o bank
"$HEDDLE" check -- ./bank 3 | grep -o 'confirmed, harm: output' | head -1
"$HEDDLE" fix --apply >fix.out 2>/dev/null
grep -Eo 'proven patch|partial patch|verify: [a-z]*|is no longer predicted' fix.out | sort -u
"$HEDDLE" cc -g -pthread bank.c -o bank
"$HEDDLE" run --runs 400 --policy random --oracle 'grep -q "saw a sum of 200"' -- ./bank 3 >runs.out
grep -Eo '^exit 0 +400' runs.out | tr -s ' '
