# SPDX-License-Identifier: Apache-2.0
# A sixth of the runtime's programs; see check.
RUNS=1 python3 "$HERE/check" "$BUILD/libheddle-rt.a" "$HEDDLE" 5/6
