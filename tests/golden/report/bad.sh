# SPDX-License-Identifier: Apache-2.0
# Findings that are not there or make no sense.
try() { "$HEDDLE" "$@" && echo "no failure" || echo "exit $?"; }
try report
mkdir bank.heddle
echo '{"version": 7}' >bank.heddle/findings.json
try report
finding() {
    echo "{\"version\": 1, \"findings\": [{\"id\": \"race-1\", $1}]}" >bank.heddle/findings.json
    try list
}
finding '"pattern": "race", "steps": [{"thread": 3}]'
finding '"pattern": "race", "threads": [{}], "steps": [{"action": "juggle"}]'
finding '"pattern": "quarrel"'
finding '"pattern": "race", "harm": "grief"'
finding '"pattern": "race", "values": "loud"'
echo '{' >bank.heddle/findings.json
try show race
cp "$HERE/findings.json" bank.heddle
try show
try show nothing
try report --html /nowhere/page.html
try explain nothing
