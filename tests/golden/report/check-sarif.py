# SPDX-License-Identifier: Apache-2.0
"""check-sarif.py FILE: does the file keep the rules of SARIF 2.1.0 (OASIS) for what Heddle uses of it?"""
import json
import re
import sys

TEXT, NUMBER = str, int
URI = re.compile(r"^(?:[a-z]+://)?[A-Za-z0-9\-._~/+%]*$")
MESSAGE = {"text": TEXT}
# key: type; a list holds one item type; "!" in front of a key: required.
LOCATION = {
    "physicalLocation": {"artifactLocation": {"uri": URI, "uriBaseId": TEXT},
                         "region": {"startLine": NUMBER, "startColumn": NUMBER, "snippet": MESSAGE}},
    "logicalLocations": [{"name": TEXT, "kind": TEXT}],
    "message": MESSAGE,
}
STACK = {"message": MESSAGE, "!frames": [{"location": LOCATION}]}
FLOW = {"message": MESSAGE, "!threadFlows": [{
    "id": TEXT, "message": MESSAGE, "!locations": [{
        "location": LOCATION, "stack": STACK, "executionOrder": NUMBER,
        "importance": {"important", "essential", "unimportant"}}]}]}
FIX = {"description": MESSAGE, "!artifactChanges": [{
    "!artifactLocation": {"uri": URI, "uriBaseId": TEXT}, "!replacements": [{
        "!deletedRegion": {"!startLine": NUMBER, "startColumn": NUMBER,
                           "endLine": NUMBER, "endColumn": NUMBER},
        "insertedContent": MESSAGE}]}]}
RESULT = {
    "ruleId": TEXT, "ruleIndex": NUMBER, "level": {"none", "note", "warning", "error"},
    "!message": MESSAGE, "locations": [LOCATION], "relatedLocations": [LOCATION],
    "partialFingerprints": dict, "codeFlows": [FLOW], "stacks": [STACK], "properties": dict,
    "fixes": [FIX],
}
RULE = {"!id": TEXT, "shortDescription": MESSAGE, "fullDescription": MESSAGE, "help": MESSAGE}
RUN = {
    "!tool": {"!driver": {"!name": TEXT, "version": TEXT, "rules": [RULE]}},
    "originalUriBaseIds": dict, "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
    "results": [RESULT],
}
FILE = {"$schema": TEXT, "!version": {"2.1.0"}, "!runs": [RUN]}


def check(value, rule, where):
    if isinstance(rule, dict):
        known = {key.lstrip("!"): inner for key, inner in rule.items()}
        assert isinstance(value, dict), f"{where}: not an object"
        for key in rule:
            assert not key.startswith("!") or key[1:] in value, f"{where}: no {key[1:]}"
        for key, inner in value.items():
            assert key in known, f"{where}: {key} is not known"
            check(inner, known[key], f"{where}.{key}")
    elif isinstance(rule, list):
        assert isinstance(value, list), f"{where}: not a list"
        for i, item in enumerate(value):
            check(item, rule[0], f"{where}[{i}]")
    elif isinstance(rule, set):
        assert value in rule, f"{where}: {value!r}"
    elif isinstance(rule, re.Pattern):
        assert isinstance(value, str) and rule.match(value), f"{where}: {value!r}"
    else:
        assert isinstance(value, rule) and not isinstance(value, bool), f"{where}: {value!r}"
        assert rule is not NUMBER or value >= 0, f"{where}: {value}"


def check_meaning(run):
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules), "a rule id is there twice"
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"], "ruleIndex and ruleId differ"
        assert result["partialFingerprints"], "no fingerprint"
        linear, threads = result["codeFlows"]
        orders = [step["executionOrder"] for flow in threads["threadFlows"]
                  for step in flow["locations"]]
        assert sorted(orders) == [step["executionOrder"] for step in
                                  linear["threadFlows"][0]["locations"]], "the flows differ"
        for change in (c for fix in result.get("fixes", []) for c in fix["artifactChanges"]):
            ends = (0, 0)
            for one in change["replacements"]:
                gone = one["deletedRegion"]
                assert (gone["startLine"], gone["startColumn"]) > ends, "replacements touch"
                ends = (gone["endLine"], gone["endColumn"])
        for location in result["locations"]:
            place = location["physicalLocation"]
            assert place["region"]["startLine"] >= 1
            base = place["artifactLocation"].get("uriBaseId")
            assert base is None or base in run["originalUriBaseIds"], "no such base"


report = json.load(open(sys.argv[1]))
check(report, FILE, "file")
check_meaning(report["runs"][0])
print(len(report["runs"][0]["results"]), "results")
