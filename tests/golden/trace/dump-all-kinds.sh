# SPDX-License-Identifier: Apache-2.0
# Every kind of event and every word; the dump reads back as the same trace.
"$HEDDLE" trace dump "$HERE/all-kinds.trace" | tee dump
"$HEDDLE" trace dump dump | cmp - dump
"$HEDDLE" trace convert "$HERE/all-kinds.trace" --format binary -o one
"$HEDDLE" trace convert dump --format binary | cmp - one
