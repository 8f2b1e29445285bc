# SPDX-License-Identifier: Apache-2.0
"""check-schema.py SCHEMA FILE ...: does each file pass the schema, and has it what the SARIF viewer of VS Code shows? All
files together must have every field that is listed here at least once; those marked "!" every result must have."""
import json
import sys

from jsonschema.validators import validator_for

SHOWN = {
    "info": ["!message.text", "!ruleId", "!level", "!properties", "!locations.physicalLocation.artifactLocation.uri",
             "!locations.physicalLocation.region.startLine", "relatedLocations.physicalLocation.region.startLine",
             "relatedLocations.message.text", "locations.physicalLocation.region.snippet.text",
             "locations.logicalLocations.name"],
    "analysis steps": ["codeFlows.message.text", "codeFlows.threadFlows.locations.location.message.text",
                       "codeFlows.threadFlows.locations.location.physicalLocation.region.startLine",
                       "codeFlows.threadFlows.locations.importance", "codeFlows.threadFlows.message.text"],
    "stacks": ["stacks.message.text", "stacks.frames.location.message.text",
               "stacks.frames.location.physicalLocation.artifactLocation.uri",
               "stacks.frames.location.physicalLocation.region.startLine"],
    "fixes": ["fixes.description.text", "fixes.artifactChanges.replacements.insertedContent.text"],
}
RULE = ["id", "shortDescription.text", "fullDescription.text", "help.text"]


def has(value, path):
    """Somewhere below value, with something in it; lists on the way are looked through."""
    if isinstance(value, list):
        return any(has(item, path) for item in value)
    if not path:
        return value not in ("", None)
    return isinstance(value, dict) and path[0] in value and has(value[path[0]], path[1:])


schema = json.load(open(sys.argv[1], encoding="utf-8"))
validator = validator_for(schema)(schema)
results = []
for name in sys.argv[2:]:
    told = json.load(open(name, encoding="utf-8"))
    wrong = [f"{'/'.join(map(str, e.path))}: {e.message[:200]}" for e in validator.iter_errors(told)]
    print(f"{name}: {len(wrong)} errors", *wrong[:10], sep="\n  " if wrong else "")
    for run in told["runs"]:
        results += run["results"]
        for rule in run["tool"]["driver"]["rules"]:
            missing = [field for field in RULE if not has(rule, field.split("."))]
            if missing:
                print(f"{name}: rule {rule.get('id')}: no {', '.join(missing)}")
for tab, fields in SHOWN.items():
    for field in fields:
        path = field.lstrip("!").split(".")
        missing = [r["ruleId"] for r in results if not has(r, path)]
        if len(missing) == len(results) or (missing and field.startswith("!")):
            print(f"{tab}: no {field.lstrip('!')} in {len(missing)} of {len(results)} results")
print("all fields that the viewer shows were looked for")
