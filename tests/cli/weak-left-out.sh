# SPDX-License-Identifier: Apache-2.0
# Where less weak behaviour is shown than there can be, that is said: by one run, behind the
# table of many, and by the policy that is to show all.
"$HEDDLE" cc -w "$HERE/weak-left-out.c" -o left
for what in many sizes mix; do
    echo "== $what"
    "$HEDDLE" run --weak --policy fifo -- ./left $what 2>&1
    "$HEDDLE" run --weak --policy fifo --runs 3 -- ./left $what | sed 1,2d
done
"$HEDDLE" run --weak --weak-history 2 --policy exhaustive -- ./left many | sed 1,2d
"$HEDDLE" run --weak --weak-history 60 --policy exhaustive -- ./left many | sed 1,2d
# Seq_cst beside weaker orders can show more than the order of execution does: no proof.
cp "$TOP/tests/cases/weak/message.bug.c" before.c
sed 's/&ready, 1, memory_order_relaxed/\&ready, 1, memory_order_seq_cst/' before.c > mixed.c
sed 's/&ready, 1, memory_order_relaxed/\&ready, 1, memory_order_release/' before.c > after.c
for to in mixed after; do
    "$HEDDLE" verify --weak --before before.c --after $to.c -- | sed -n '1p;$p'
done
