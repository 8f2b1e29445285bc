# SPDX-License-Identifier: Apache-2.0
# Programs with atomics weaker than sequentially consistent, with a bug and right: a part of those
# that weak/right.txt lists.
"$HERE/world-check" --in weak --listed --part 2/4
