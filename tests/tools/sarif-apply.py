# SPDX-License-Identifier: Apache-2.0
"""sarif-apply.py FILE: makes the first fix of the first result, as an editor would."""
import json
import sys

for change in json.load(open(sys.argv[1]))["runs"][0]["results"][0]["fixes"][0]["artifactChanges"]:
    path = change["artifactLocation"]["uri"].removeprefix("file://")
    lines = open(path, newline="", encoding="utf-8").read().split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    text = "\n".join(lines)
    for edit in reversed(change["replacements"]):
        gone = edit["deletedRegion"]
        start = starts[gone["startLine"] - 1] + gone["startColumn"] - 1
        end = starts[gone["endLine"] - 1] + gone["endColumn"] - 1
        text = text[:start] + edit["insertedContent"]["text"] + text[end:]
    open(path, "w", newline="", encoding="utf-8").write(text)
