# SPDX-License-Identifier: Apache-2.0
# docs/format.md has every event kind with its byte, fields and meaning, and every word.
python3 - <<'END'
import os, re
top = os.environ["TOP"]
page = open(top + "/docs/format.md").read()
rows = lambda name, pattern: re.findall(pattern, open(f"{top}/include/heddle/{name}").read(), re.M)
for byte, (kind, on, fields, help) in enumerate(
        rows("event.def", r'^EV\(\w+, "([^"]*)", (\w+), "([^"]*)", "([^"]*)"\)'), 1):
    on, fields = "" if on == "NONE" else on.lower(), f"`{fields}`" if fields else ""
    row = f"| {byte} | `{kind}` | {on} | {fields} | {help} |\n"
    if row not in page:
        print("missing:", row, end="")
if f"| 1 .. {byte} | an event in its general form" not in page:
    print("the last kind is", byte)
counts = {}
for group, word, help in rows("words.def", r'^WORD\((\w+), \w+, "([^"]*)", "([^"]*)"\)'):
    value = counts[group] = counts.get(group, -1) + 1
    row = f"| {value} | `{word}` | {help} |\n"
    if row not in page:
        print("missing:", row, end="")
header = open(top + "/include/heddle/format.h").read()
version = re.search(r"TRACE_VERSION (\d+)", header)[1]
if f"| 8 | u32 | version | {version} |" not in page or f"One number, {version}," not in page:
    print("the version is", version)
END
