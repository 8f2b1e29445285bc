# SPDX-License-Identifier: Apache-2.0
# Options that only gcc has are named where they make clang fail; libgomp always.
set +e
printf 'int main(void) { return 0; }\n' >a.c
"$HEDDLE" cc -fconserve-stack -fno-ipa-cp -c a.c 2>&1 | grep '^heddle'
"$HEDDLE" cc -fgnu-tm -c a.c 2>&1 | grep '^heddle'
"$HEDDLE" cc -fopenmp=libgomp -c a.c 2>&1 | grep '^heddle'
"$HEDDLE" cc -fno-tree-vectorize -c a.c; echo "exit $?"
"$HEDDLE" run --jobs 2 -- ./a; echo "exit $?"
