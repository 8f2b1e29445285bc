# SPDX-License-Identifier: Apache-2.0
# What a campaign says of files that are damaged, and that a result that is taken away is made again.
"$HEDDLE" cc -g -o bank "$TOP/examples/bank.c" -pthread
"$HEDDLE" campaign new d --policies fifo --runs 4 -- ./bank 3 >/dev/null
"$HEDDLE" campaign run d >/dev/null
"$HEDDLE" campaign report d >whole || test $? = 1
damaged() { rm -rf e && cp -r d e && echo "-- $1"; }
said() { "$HEDDLE" campaign "$@" 2>&1 >/dev/null || echo "exit $?"; }
damaged "a result"
last=$(ls e/merged-* | tail -1)
file=$(ls e/results/$((${last##*-} - 1))/* | head -1)
truncate -s 100 "$file"
rm "$last"
said run e
rm "$file"
said run e
"$HEDDLE" campaign report e >again || test $? = 1; cmp again whole && echo the same
damaged "units"
truncate -s 10 e/units/0
said unit e 0
damaged "what was merged"
truncate -s 100 "$last"
said report e
rm "$last"
said run e
"$HEDDLE" campaign report e >again || test $? = 1; cmp again whole && echo the same
damaged "a round"
echo x >e/round-1
said status e
damaged "the plan"
: >e/plan
said status e
