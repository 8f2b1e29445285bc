# SPDX-License-Identifier: Apache-2.0
# Under pct a thread that sleeps may overtake one that could run, and a replay does the same.
"$HEDDLE" cc -g -pthread "$HERE/pct-sleep.c" -o late
"$HEDDLE" run --runs 40 --policy pct:3 -- ./late >said || test $? -eq 1
failing=$(awk '/^exit 1 /{print $NF}' said)
test -n "$failing" || cat said
"$HEDDLE" replay "$failing" || echo "exit $?"
