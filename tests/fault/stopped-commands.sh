# SPDX-License-Identifier: Apache-2.0
# Who tells a command to end while it records, or while another one that it started does, waits for nothing, and that the
# program did not end by itself is no bug of it. stopped-commands.long.sh tries all commands.
echo 'volatile long n; int main(void) { for (;;) n++; }' > forever.c
"$HEDDLE" cc -g -O1 forever.c -o forever
"$HEDDLE" cc -g -pthread "$TOP/examples/counter.c" -o counter
python3 "$HERE/stopped-commands.py" --after 0.3,1 "check -- ./forever" "ci --"
rm -r forever.heddle
"$HEDDLE" check -- ./forever > said 2> /dev/null &
until [ -s forever.heddle/runs/1/trace ]; do sleep 0.05; done
kill -INT $!
wait $! || echo "exit $?"
cat said
