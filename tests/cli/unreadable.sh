# SPDX-License-Identifier: Apache-2.0
# Input that cannot be read: one message that names the file, exit code 4, nothing on stdout.
try() {
    code=0
    "$HEDDLE" trace "$@" || code=$?
    echo "exit $code" >&2
}
try dump missing
try stat missing
try convert missing --format text -o out
try export missing --format chrome -o out
mkdir directory
try dump directory
: >empty
try dump empty
try stat - <empty
printf 'Hello, world!\nThis is no trace.\n' >letter
try dump letter
head -c 5000 /dev/zero >zeros
try dump zeros
"$HEDDLE" trace convert "$TOP/examples/bank.trace" --format binary -o trace
{ head -c 8 trace; printf '\3'; tail -c +10 trace; } >newer
try dump newer
try stat newer
head -c 40 trace >short
try dump short
gzip -c trace | head -c 200 >cut.gz
try dump cut.gz
gzip -c trace >whole.gz
{ head -c 300 whole.gz; printf 'xxxxxxxx'; tail -c +309 whole.gz; } >bad.gz
try stat bad.gz 2>&1 | sed 's/corrupt gzip data: .*/corrupt gzip data: .../' >&2
"$HEDDLE" trace convert trace --format text --zstd -o whole.zst
head -c 300 whole.zst >cut.zst
try dump cut.zst
cp "$TOP/tests/fuzz/corpus/runfile/schedule" schedule
try stat schedule
try convert schedule --format text
printf 'T0 write x 1\nT0 wrote x 2\n' >typo
try dump typo
for mistake in 'T0 wrote x 1' 'object x foo' 'T0' 'thread' 'site x' 'cut it'; do
    echo "$mistake" >typo
    try stat typo
done
# Packed once is enough.
gzip -c whole.gz >twice.gz
for verb in dump stat 'convert --format text' 'export --format chrome'; do
    try $verb twice.gz
done
gzip -c whole.zst >twice
try dump twice
ls
