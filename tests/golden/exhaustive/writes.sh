# SPDX-License-Identifier: Apache-2.0
# 3 threads, 3 conflicting writes each: no more and no fewer runs than there are orders.
"$HEDDLE" cc -g -O1 "$HERE/writes.c" -o writes -lpthread
"$HEDDLE" run --policy exhaustive -- ./writes | sed 's/  heddle replay.*//' || true
"$HEDDLE" run --policy exhaustive --runs 100 -- ./writes | tail -1 || true
