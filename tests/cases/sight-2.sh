# SPDX-License-Identifier: Apache-2.0
# What programs really do, with a bug and right: a part of those that sight/right.txt lists.
"$HERE/world-check" --in sight --listed --part 2/4
