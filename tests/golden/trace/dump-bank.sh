# SPDX-License-Identifier: Apache-2.0
# The shipped example, and that its dump is the same trace.
cd "$TOP"
"$HEDDLE" trace dump examples/bank.trace
