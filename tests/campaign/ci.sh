# SPDX-License-Identifier: Apache-2.0
# heddle ci --campaign: plans, runs and reports; goes on with what is there; a baseline decides its code.
set +e
"$HEDDLE" cc -g -o bank "$TOP/examples/bank.c" -pthread
mkdir ctest
cat >ctest/CTestTestfile.cmake <<'END2'
add_test(transfer "../bank" "3")
END2
"$HEDDLE" ci --campaign c --runs 20 --out reports -- ./bank 3 >out 2>notes; echo "exit $?"
sed -n 's/^heddle: reports/reports/p' notes
tail -1 out | cut -d: -f1
python3 - <<'END2'
import json, xml.etree.ElementTree as tree
sarif = json.load(open("reports/heddle.sarif"))["runs"][0]["results"]
print("sarif", sorted({r["ruleId"] for r in sarif}))
print("junit", len(list(tree.parse("reports/heddle.xml").getroot().iter("testcase"))) > 0)
print("codequality", sorted({i["check_name"] for i in json.load(open("reports/codequality.json"))}))
print("html", "<main" in open("reports/index.html").read())
open("known", "w").writelines(f["id"] + "\n" for f in json.loads(__import__("subprocess").run(
    [__import__("os").environ["HEDDLE"], "campaign", "report", "c", "--json"], stdout=-1).stdout)["findings"])
END2
echo "-- known"
"$HEDDLE" ci --campaign c --baseline known --out again -- ./bank 3 >out 2>notes; echo "exit $?"
cat again/codequality.json
echo "-- the tests of CTest"
"$HEDDLE" ci --campaign t --runs 4 -- ctest --test-dir ctest >out 2>notes; echo "exit $?"
"$HEDDLE" campaign units t | head -1
echo "-- what makes no sense"
"$HEDDLE" ci --campaign c --each-test -- ./bank; echo "exit $?"
"$HEDDLE" ci --campaign n -- ./missing 2>said; echo "exit $?"
sed "s,$PWD,HERE," said
ls n 2>&1 | grep -c plan
