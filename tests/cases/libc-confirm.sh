# SPDX-License-Identifier: Apache-2.0
# Memory that functions of the C library touch, and keep for themselves: races and uses after free
# are confirmed, and what is right is not reported.
"$HERE/confirm" libc/
