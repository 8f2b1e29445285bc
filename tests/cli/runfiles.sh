# SPDX-License-Identifier: Apache-2.0
# dump prints the other files of a run, too, cut ones as far as they go.
cd "$TOP/tests/fuzz/corpus/runfile"
for file in command schedule input output outcome outcome-exit head-only cut-record cut-choice \
    zero-tail short-length; do
    echo "\$ heddle trace dump $file"
    "$HEDDLE" trace dump $file
done
echo "\$ packed"
gzip -c command | "$HEDDLE" trace dump -
for file in cut-head newer-version wrong-kind wrong-tag wrong-mark long-length nameless-call; do
    "$HEDDLE" trace dump $file && echo "exit 0?"
done
true
