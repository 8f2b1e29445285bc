# SPDX-License-Identifier: Apache-2.0
# An option of one name has the same letter, and takes the same kind of value, in every command that has it; what differs on purpose is listed.
python3 - <<'END'
import collections
import os
import re
import subprocess

# verify names its two programs by --before and --after; minimize writes a directory; verify takes a whole run, which has more
# than a schedule.
ON_PURPOSE = {"--after", "--output", "--schedule"}
heddle = os.environ["HEDDLE"]
said = subprocess.run([heddle, "--help"], capture_output=True, text=True, check=True).stdout
commands = re.findall(r"^  ([a-z-]+)  ", said, re.M)
assert len(commands) > 10, commands
found = collections.defaultdict(lambda: collections.defaultdict(list))
for command in commands:
    if command in ("cc", "help"):
        continue
    text = subprocess.run([heddle, command, "--help"], capture_output=True, text=True).stdout
    for letter, name, value in re.findall(r"^  (?:(-\w), )?\s*(--[a-z-]+)(?:[ =](\[?[A-Z][A-Z.:|/a-z]*\]?))?  +\S", text, re.M):
        found[name][letter, value].append(command)
for name, ways in sorted(found.items()):
    if len(ways) > 1 and name not in ON_PURPOSE:
        print(name, *(f"{letter} {value or 'without a value'}: {', '.join(where)};" for (letter, value), where in sorted(ways.items())))
print("alike" if len(found) > 40 else f"only {len(found)} options seen")
END
