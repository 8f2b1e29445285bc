# SPDX-License-Identifier: Apache-2.0
# Output that cannot be written is an error; a file appears when it is complete, or not at all.
bank=$TOP/examples/bank.trace
try() {
    code=0
    "$HEDDLE" "$@" || code=$?
    echo "exit $code" >&2
}
try trace dump "$bank" >/dev/full
try trace stat "$bank" >/dev/full
try --help >/dev/full
try trace convert "$bank" --format binary >/dev/full
try trace convert "$bank" --format text -o /dev/full
try trace dump "$bank" >&-
try trace dump "$bank" <&- >out 2>err
cat err >&2
test -s out
try trace convert "$bank" --format text -o missing/file
mkdir directory
try trace convert "$bank" --format text -o directory
# A reader that goes away is no reason to complain. This does not fit into a pipe.
{ sed -n 1,35p "$bank"; yes 'T0 read savings 90 @4' | head -20000; } >long
"$HEDDLE" trace dump long | head -1
(trap '' PIPE; "$HEDDLE" trace dump long 2>err | head -1; cat err >&2)
# Replacing a file, in place too.
cp "$bank" file
"$HEDDLE" trace convert file --format binary -o file
"$HEDDLE" trace convert file --format text --output=file
"$HEDDLE" trace dump "$bank" | cmp - file
"$HEDDLE" trace convert -o- --format=text -- file | cmp - file
ln -s file link
"$HEDDLE" trace export --format chrome -ojson link
# Somebody else's file of that name stays, and a link stays a link.
echo mine >json.part
"$HEDDLE" trace export --format chrome -o json link
cat json.part
mkdir sub
ln -s ../json sub/link
ln -s sub/link chain
"$HEDDLE" trace convert "$bank" --format text -o chain
cmp json file
readlink chain sub/link
ln -s fresh dangling
"$HEDDLE" trace convert "$bank" --format text -o dangling
cmp fresh file
ln -s loop loop
try trace convert "$bank" --format text -o loop
ls . sub
