# SPDX-License-Identifier: Apache-2.0
# A check in two halves: predict and do not follow, then follow and do not predict, both with their files elsewhere. Together
# they say what a whole check says.
"$HEDDLE" cc -g -o bank "$TOP/examples/bank.c"
verdicts() { python3 -c '
import json, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    print(f["id"], f["verdict"], f["harm"])' "$1" | sort; }
mkdir half whole
export HEDDLE_STORE=$PWD/half
"$HEDDLE" check --no-explore --no-confirm --policy fifo -- ./bank >predicted
verdicts half/bank.heddle/findings.json | cut -d ' ' -f 2 | sort | uniq -c | tr -s ' '
cp half/bank.heddle/findings.json known.json
"$HEDDLE" check --no-explore --known known.json -- ./bank >/dev/null || echo "exit $?"
verdicts half/bank.heddle/findings.json >followed
HEDDLE_STORE=$PWD/whole "$HEDDLE" check --no-explore -- ./bank >/dev/null || echo "exit $?"
verdicts whole/bank.heddle/findings.json | diff followed - && echo the same
ls -d ./*.heddle 2>/dev/null || echo nothing here
echo "-- a failing schedule is looked into"
unset HEDDLE_STORE
"$HEDDLE" check --no-explore --no-confirm --policy random --seed 1 -- ./bank | tail -1 | sed 's/[0-9]* events/N events/; s/;.*//'
echo "-- what makes no sense"
for p in targeted fofi pct:0; do "$HEDDLE" check --policy "$p" -- ./bank 2>&1 || echo "exit $?"; done
"$HEDDLE" check --no-explore --known missing.json -- ./bank 2>&1 || echo "exit $?"
