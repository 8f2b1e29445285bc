# SPDX-License-Identifier: Apache-2.0
# Programs that talk to the kernel, with a bug and right: a part of those that world/right.txt lists.
"$HERE/world-check" --listed --part 1/6
