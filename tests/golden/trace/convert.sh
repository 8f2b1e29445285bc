# SPDX-License-Identifier: Apache-2.0
# Every format out of every format, and back.
cp "$TOP/examples/bank.trace" bank
"$HEDDLE" trace convert bank --format std | tee bank.std
"$HEDDLE" trace convert bank --format binary -o bank.binary
"$HEDDLE" trace convert bank --format text -o bank.text
"$HEDDLE" trace convert bank.binary --format text | cmp - bank.text
"$HEDDLE" trace convert bank.text --format binary | cmp - bank.binary
"$HEDDLE" trace export bank.binary --format std 2>/dev/null | cmp - bank.std
"$HEDDLE" trace convert bank.std --format binary -o std.binary
"$HEDDLE" trace convert std.binary --format std | cmp - bank.std
"$HEDDLE" trace convert std.binary --format text -o std.text
"$HEDDLE" trace convert std.text --format std | cmp - bank.std
"$HEDDLE" trace convert bank.binary --format std --zstd 2>/dev/null | "$HEDDLE" trace convert - --format std | cmp - bank.std
