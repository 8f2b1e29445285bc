# SPDX-License-Identifier: Apache-2.0
# verify on one insufficient fix and the right one beside it; the others are in verdicts.long.sh.
"$HERE/eval" --only derby-1573 2 | tail -1
# A wait that is not repeated fails only when it returns unasked.
"$HERE/eval" --only race.thread-pool.if-wait mutants | grep 'called broken'
