# SPDX-License-Identifier: Apache-2.0
cd "$TOP"
"$HEDDLE" trace stat examples/bank.trace
