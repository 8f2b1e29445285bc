# SPDX-License-Identifier: Apache-2.0
# One mutant by each operator: what is changed, and what exploration says about it.
# (New cases or models: `tests/swan/mutate truth` explores their mutants and keeps what it found.)
"$HERE/mutate" write . derby-1573 race.hidden
for mutant in derby-1573/{reversed-83,drop-75,shorten-start-76,shorten-end-77,other-lock-83,split-77}.c \
    race.hidden/{if-wait,signal-before,signal-after}-*.c; do
    echo "${mutant%.c}"
    diff -U 0 "${mutant%/*}/right.c" "$mutant" | grep '^[-+][^-+]' || true
done
"$HERE/mutate" check derby-1573.shorten race.hidden.signal
