# SPDX-License-Identifier: Apache-2.0
# A trace that merely stops is a shorter trace: dump ends with `cut`, a note says so, exit code 0.
"$HEDDLE" trace convert "$TOP/examples/bank.trace" --format binary -o whole
head -c 700 whole >part
"$HEDDLE" trace dump part >dump
tail -2 dump
"$HEDDLE" trace stat part | sed -n 2,3p
# It stays cut in every format that can say so.
"$HEDDLE" trace convert part --format text -o part.text
"$HEDDLE" trace convert part --format binary -o part.binary
"$HEDDLE" trace export part --format chrome -o json
"$HEDDLE" trace export part --format std -o std
"$HEDDLE" trace dump part.text 2>/dev/null | cmp - dump
"$HEDDLE" trace dump part.binary 2>/dev/null | cmp - dump
# What a killed writer mapped and did not use is no part of it.
python3 - <<'END'
data = bytearray(open("whole", "rb").read())
data[12] &= ~32  # not closed
data[64 + 4:64 + 8] = bytes(4)  # nor is its block
open("killed", "wb").write(data + bytes((1 << 20) - len(data)))
END
"$HEDDLE" trace dump killed >dump
tail -2 dump
"$HEDDLE" trace stat killed | sed -n 2,4p
"$HEDDLE" trace convert killed --format binary -o small
test "$(wc -c <small)" = "$(wc -c <whole)"
# Events that were asked for are all there: no note.
"$HEDDLE" trace dump part --to 3 | tail -1
"$HEDDLE" trace export part --to 3 --format chrome -o json
