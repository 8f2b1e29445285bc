# SPDX-License-Identifier: Apache-2.0
# A corrupt trace: dump prints what stands before the corrupt place, then one message; the others
# print the message alone and leave no file behind.
"$HEDDLE" trace convert "$TOP/examples/bank.trace" --format binary -o good
python3 - <<'END'
data = bytearray(open("good", "rb").read())
data[64 + 16:64 + 24] = bytes(8)  # no checksum
data[-4] = 0x70  # no such record
open("bad", "wb").write(data)
data = bytearray(open("good", "rb").read())
data[200] ^= 1
open("flipped", "wb").write(data)
END
try() {
    code=0
    "$HEDDLE" trace "$@" || code=$?
    echo "exit $code" >&2
}
try dump bad >dump
tail -3 dump
try dump flipped
try stat bad
try convert bad --format binary -o out
try convert bad --format text -o out
try export bad --format chrome -o out
try export bad --format std -o out
# What the message says can be done.
"$HEDDLE" trace dump bad --to 48 | tail -1
ls
