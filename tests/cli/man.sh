# SPDX-License-Identifier: Apache-2.0
# Man pages and help speak of the same options, verbs and JSON keys.
options_of_help() { sed -n '/^options:/,/^$/s/^  \(-., \)\?\(--[a-z-]*\).*/\2/p' | sort -u; }
options_of_man() { sed -n '/^.SH OPTIONS/,/^.SH [^O]/p' "$1" | sed 's/\\//g' | grep -o -e '--[a-z-]*' | sort -u; }
all_commands() { "$HEDDLE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p'; }
for command in "" $(all_commands | grep -v '^c[c+]'); do
    page=$TOP/docs/man/heddle${command:+-$command}.1
    "$HEDDLE" $command --help | options_of_help >help
    options_of_man "$page" >man
    diff help man
    test -s man
done
"$HEDDLE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p' >commands
echo help >>commands
sed -n '/^.SH COMMANDS/,/^.SH O/s/^.BR \([a-z+\\-]*\)$/\1/p' "$TOP/docs/man/heddle.1" | tr -d '\\' | diff commands -
for verb in dump stat convert export; do
    grep -q "^.B heddle trace $verb\$" "$TOP/docs/man/heddle-trace.1"
done
"$HEDDLE" trace stat --json "$TOP/examples/bank.trace" >json
python3 - "$TOP/docs/man/heddle-trace.1" <<'END'
import json, re, subprocess, os, sys
page = open(sys.argv[1]).read()
page = page[page.index(".SH JSON"):page.index(".SH EXIT STATUS")]
text = subprocess.run([os.environ["HEDDLE"], "trace", "--help"], capture_output=True, text=True).stdout
listed = re.search(r"these keys: ([^.]*)\.", text)[1].replace("\n", " ").split(", ")
found = json.load(open("json"))
assert list(found) == [key.strip() for key in listed], (list(found), listed)
def walk(value):
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            for key, inner in item.items():
                assert re.search(rf"\b{key}\b", page), f"{key} is not in the man page"
                walk(inner)
walk(found)
END
# What a person sees, if man is there to show it.
if command -v man >/dev/null; then
    for page in "$TOP"/docs/man/*.1; do
        LC_ALL=C.UTF-8 man --warnings=w -l "$page" 2>&1 >/dev/null
    done
fi
