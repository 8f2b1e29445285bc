# SPDX-License-Identifier: Apache-2.0
# What --threads, --from, --to and --location leave; the same for every verb.
cp "$TOP/examples/bank.trace" bank
events() { grep '^#\|^T[0-9]' || true; }
show() {
    echo "\$ dump $*"
    "$HEDDLE" trace dump bank "$@" | events
}
show --from 47
show --to 2
show --from 48 --to 1000
show --from 1000
show --threads T1 --to 15
show --threads auditor,T1 --from 30 --to 38
show --location savings
show --location savings --location paid --threads teller
show --location nothing
# Whatever the verb, a name that stands for nothing is told; it may be one of several.
"$HEDDLE" trace stat bank --location nothing --location savings >/dev/null
"$HEDDLE" trace convert bank --format text --location nothing >/dev/null
"$HEDDLE" trace convert bank --format binary --location nothing >/dev/null
"$HEDDLE" trace export bank --format std --location nothing
"$HEDDLE" trace export bank --format chrome --location nothing >/dev/null
"$HEDDLE" trace export bank --format std --from 1000
code=0
"$HEDDLE" trace export bank --format chrome --threads nobody || code=$?
echo "exit $code" >&2
# What reaches into a location is an event on it.
printf 'object a memory 0x1000:8; object b memory 0x1008:8\nT0 write a 1; T0 write b 1\n' >reach
printf 'T1 read-range a:16 5; T1 write a+4:8 7\n' >>reach
"$HEDDLE" trace dump reach --location b | events
"$HEDDLE" trace export reach --format std --location b
"$HEDDLE" trace export reach --format chrome --location b | grep -o '"ph":"i".*"name":"[^"]*"'
# A part is a trace like any other.
"$HEDDLE" trace convert bank --format text --from 10 --to 40 --threads T1,T2 -o part.text
"$HEDDLE" trace convert bank --format binary --from 10 --to 40 --threads T1,T2 -o part
"$HEDDLE" trace convert part.text --format binary | cmp - part
echo "\$ stat of a part"
"$HEDDLE" trace stat bank --from 10 --to 40 --threads T1,T2 --json >one
"$HEDDLE" trace stat part --json >two
python3 - <<'END'
import json
one, two = json.load(open("one")), json.load(open("two"))
for key in one:
    if key not in ("file", "format", "file_bytes"):
        assert one[key] == two[key], key
print(one["events"], one["kinds"])
END
echo "\$ imported"
printf 'main|w(x)|1\nmain|fork(T7)|2\nT7|r(x)|3\nmain|r(y)|4\n' >std
"$HEDDLE" trace dump std --threads T7 | grep '^#'
"$HEDDLE" trace dump std --threads main --location x | grep '^#'
"$HEDDLE" trace export std --format std --threads main
