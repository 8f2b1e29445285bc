# SPDX-License-Identifier: Apache-2.0
# A circle of locks that only the values of the run exclude is told as a note, and is no bug.
cp "$TOP/tests/cases/stuck/lock-order.ok.c" order.c
"$HEDDLE" cc -g order.c -o order
"$HEDDLE" check -- ./order
