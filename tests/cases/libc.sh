# SPDX-License-Identifier: Apache-2.0
# What functions of the C library touch: a race for each, and none with a lock.
"$HERE/libc/try" "$HERE/libc/rows" "$TOP/src/instr/libc.def"
