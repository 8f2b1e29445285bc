# SPDX-License-Identifier: Apache-2.0
# Input may come from a pipe or a file, in any format and packing; names do not matter.
bank=$TOP/examples/bank.trace
"$HEDDLE" trace dump "$bank" >text
"$HEDDLE" trace convert "$bank" --format binary -o binary
"$HEDDLE" trace convert "$bank" --format binary --zstd -o binary.zst
"$HEDDLE" trace convert "$bank" --format text --zstd -o text.zst
gzip -c text >text.gz
gzip -c binary >binary.txt
for file in text binary binary.zst text.zst text.gz binary.txt; do
    "$HEDDLE" trace dump $file | cmp - text
    "$HEDDLE" trace dump - <$file | cmp - text
    cat $file | "$HEDDLE" trace dump - | cmp - text
    "$HEDDLE" trace convert $file --format binary | cmp - binary
    "$HEDDLE" trace stat $file | sed -n '1,4s/[0-9,]* bytes;/N bytes;/p;1p'
done
cat binary | "$HEDDLE" trace stat - --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["file"])'
mkdir -- -x
cp text ./-x/--to
cd ./-x
"$HEDDLE" trace dump -- --to | cmp - ../text
