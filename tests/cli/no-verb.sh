# SPDX-License-Identifier: Apache-2.0
# Without a command or a verb the usage goes to stderr, not to stdout.
"$HEDDLE" 2>all && exit 1
"$HEDDLE" --help | cmp - all
"$HEDDLE" trace
