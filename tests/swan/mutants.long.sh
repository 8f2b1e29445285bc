# SPDX-License-Identifier: Apache-2.0
# What is kept about mutants is about their text as it is now, and some of them are explored again. New
# programs are not known before somebody runs `tests/swan/mutate truth`.
"$HERE/mutate" list | grep 'changed since it was explored$' || true
"$HERE/mutate" check derby-1573 lost-wakeup atomicity. | grep ', but' || echo "as before"
