# SPDX-License-Identifier: Apache-2.0
# heddle ci: a command or the one that fits, reports that parse, a baseline; and the files of docs/ci.md: they parse, and
# their commands are ones that heddle has.
set +e
unset MAKEFLAGS MAKELEVEL
mkdir bin && ln -s "$HEDDLE" bin/heddle && ln -s "$HEDDLE" bin/heddle-cc
PATH=$PWD/bin:$PATH
cp "$TOP/examples/bank.c" .
printf 'bank: bank.c\n\t$(CC) -g -pthread -o $@ $<\ncheck: bank\n\t./bank 3\n' >Makefile
make -s CC=heddle-cc
heddle ci >out 2>notes; echo "exit $?"
sed -n 's/^heddle: reports/reports/p' notes
python3 - <<'END'
import json, xml.etree.ElementTree as tree
sarif = json.load(open("heddle-report/heddle.sarif"))
print("sarif", [r["ruleId"] for r in sarif["runs"][0]["results"]])
print("junit", [c.get("classname") for c in tree.parse("heddle-report/heddle.xml").getroot().iter("testcase")])
for issue in json.load(open("heddle-report/codequality.json")):
    print("codequality", issue["check_name"], issue["severity"], issue["location"], sorted(issue))
print("html", "<main" in open("heddle-report/index.html").read())
END
heddle baseline write >/dev/null
heddle ci --out again -- ./bank 3 >out 2>notes; echo "known: exit $?"
python3 -c 'import json; print(json.load(open("again/codequality.json")))'
cd bin; heddle ci; echo "nothing to run: exit $?"; cd ..
python3 - "$TOP/docs/ci.md" <<'END'
import re, subprocess, sys
page = open(sys.argv[1]).read()
blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.S)
try:
    import yaml
except ImportError:
    yaml = None
for kind, text in blocks:
    if kind == "yaml" and yaml:
        assert yaml.safe_load(text), text
    assert kind != "yaml" or "\t" not in text
    if kind == "groovy":
        assert text.count("{") == text.count("}"), text
commands = set(re.findall(r"heddle ([a-z]+)(?= )((?: --[a-z-]+)*)", page))
for command, options in sorted(commands):
    help_text = subprocess.run(["heddle", "help", command], capture_output=True, text=True)
    if help_text.returncode != 0:
        print("no such command:", command)
    for option in options.split():
        if option not in help_text.stdout:
            print("no such option:", command, option)
print("kinds:", sorted({kind for kind, _ in blocks}))
END
