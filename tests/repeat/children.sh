# SPDX-License-Identifier: Apache-2.0
# Programs that fork are replayed exactly, and all their children, several times.
for p in fork-accept fork-mutex fork-queue fork-sem fork-shared fork-tree; do
    "$HEDDLE" cc -O1 -pthread "$TOP/tests/cases/world/$p.ok.c" -o $p
    "$HEDDLE" run --policy random --seed 3 -- ./$p > /dev/null 2>&1
    "$HEDDLE" replay -q --times 3 $p.heddle/runs/last > /dev/null && echo "$p: the same"
done
