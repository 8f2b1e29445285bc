# SPDX-License-Identifier: Apache-2.0
# All of the runtime's programs, with more seeds; see check.
RUNS=12 python3 "$HERE/check" "$BUILD/libheddle-rt.a" "$HEDDLE" 0/1
