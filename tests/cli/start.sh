# SPDX-License-Identifier: Apache-2.0
# What is linked is loaded at every start; LLVM and Z3 wait until they are needed.
readelf -d "$HEDDLE" | grep NEEDED | grep -c -e LLVM -e z3 || true
