# SPDX-License-Identifier: Apache-2.0
# Locks, counts and flags that programs make by inline assembly: confirmed where they are not
# used, quiet where they are.
"$HERE/confirm" asm/
