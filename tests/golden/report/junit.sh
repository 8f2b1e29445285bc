# SPDX-License-Identifier: Apache-2.0
mkdir bank.heddle
cp "$HERE/findings.json" bank.heddle
"$HEDDLE" report --all --junit >junit.xml || test $? = 1
python3 -c 'import sys, xml.dom.minidom
suite = xml.dom.minidom.parse("junit.xml").getElementsByTagName("testsuite")[0]
cases = suite.getElementsByTagName("testcase")
print(suite.getAttribute("failures"), "of", len(cases), *(c.getAttribute("name") for c in cases))'
