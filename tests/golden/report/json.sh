# SPDX-License-Identifier: Apache-2.0
# What is written reads back as the same; what a program needs is there under its name.
mkdir bank.heddle
cp "$HERE/findings.json" bank.heddle
"$HEDDLE" report --json >once.json || test $? = 1
mkdir again.heddle
cp once.json again.heddle/findings.json
"$HEDDLE" report --json --dir again.heddle >twice.json || test $? = 1
cmp once.json twice.json
python3 - "$TOP/docs/findings.md" <<'END'
import json, re, sys
page = open(sys.argv[1]).read()
def walk(value):
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            for key, inner in item.items():
                assert f"`{key}`" in page, f"{key} is not described"
                walk(inner)
found = json.load(open("once.json"))
walk(found)
print(len(found["findings"]), "findings")
END
