# SPDX-License-Identifier: Apache-2.0
# Names that are long, odd or not ASCII keep their columns.
cp "$HERE/all-kinds.trace" t
"$HEDDLE" trace stat t | sed 's/[0-9.]* bytes of memory/N bytes of memory/'
cat >names <<'END'
thread T0 "a thread whose name is far too long for its column"
thread T1 parent T0 spawn 0 "tab\x09 escape\x1b[31m \xc3\xa4\xc3\xb6\xc3\xbc"
object "a_global_variable_with_a_very_long_name_indeed" memory 0x1000:8
object "\x1b]0;evil" mutex 0x2000:8
T0 acquire 0x2000; T0 write 0x1000:8 1; T0 release 0x2000
T1 acquire 0x2000; T1 read 0x1000:8 1; T1 release 0x2000
END
"$HEDDLE" trace stat names | sed 's/[0-9.]* bytes of memory/N bytes of memory/'
"$HEDDLE" trace stat names | python3 -c '
import sys
for line in sys.stdin.buffer.read().decode().splitlines():
    if len(line) > 80:
        print("too wide:", line)'
