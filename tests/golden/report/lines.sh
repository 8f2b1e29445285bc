# SPDX-License-Identifier: Apache-2.0
# A finding has at most 25 lines, however much there is to say of it.
mkdir bank.heddle
python3 - "$HERE/findings.json" >bank.heddle/findings.json <<'END'
import json
import sys
told = json.load(open(sys.argv[1]))
one = next(f for f in told["findings"] if f["verdict"] == "confirmed" and len(f["steps"]) > 1)
one["why"] = "the read of 'balance' at bank.c:14 sees 10, which T1 wrote at bank.c:16; " * 4
one["message"] = "bank.c:14:5: " + one["why"]
one["values"], one["effect"] = "visible", "some order lets a read see what no other order gives " * 3
plain = dict(one["steps"][0], key=False)
one["steps"] = [plain] * 20 + one["steps"]
told["findings"] = [one]
json.dump(told, sys.stdout)
END
"$HEDDLE" report --all >text || test $? = 1
awk '/^$/ { exit } { lines++ } END { print (lines <= 25 && lines > 15 ? "at most 25" : lines) }' text
grep -c "again\|ends" text
