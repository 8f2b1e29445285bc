# SPDX-License-Identifier: Apache-2.0
# limit: 3600
# Programs that talk to the kernel, with a bug and right: all that world/right.txt lists.
"$HERE/world-check" --listed
