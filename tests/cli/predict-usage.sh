# SPDX-License-Identifier: Apache-2.0
# What goes together and what does not; a directory that cannot be made; queries of every kind.
printf 'T0 write x 1; T1 acquire L; T1 write x 2; T1 release L' >t
"$HEDDLE" predict t --list --json || echo "exit $?"
"$HEDDLE" predict t --list --witness-dir d || echo "exit $?"
"$HEDDLE" predict t --witness-dir none/d || echo "exit $?"
printf 'race 0 2\nnext 1 0 2\nnext 2 1 0 1\nord 2 2 0 0\nnext 2 3 1 1\n' >q
"$HEDDLE" predict t --mode sound --query q || echo "exit $?"
sed -i '$d' q
"$HEDDLE" predict t --mode sound --query q
# Of a list one kind; two threads that wait for each other, and one that need not.
"$HEDDLE" predict t --only race || echo "exit $?"
"$HEDDLE" predict t --list --only rice || echo "exit $?"
"$HEDDLE" predict t --mode sound --list --only race
"$HEDDLE" predict t --mode sound --list --only deadlock
cat >s <<'END'
T0 sem-wait A 0; T0 sem-wait B 0; T0 sem-post B 1; T0 sem-post A 1
T1 sem-wait B 0; T1 sem-wait A 0; T1 sem-post A 1; T1 sem-post B 1
END
printf 'blocked 2 0 1 5\nblocked 2 0 0 5\nblocked 1 0 1\nblocked 2 0 2 5\n' >q
"$HEDDLE" predict s --mode sound --query q
