# SPDX-License-Identifier: Apache-2.0
# SARIF by the rules of its schema: what must be there, of which type, and no key it does not know.
mkdir bank.heddle
cp "$HERE/findings.json" bank.heddle
"$HEDDLE" report --all --sarif >report.sarif || test $? = 1
python3 "$HERE/check-sarif.py" report.sarif
