# SPDX-License-Identifier: Apache-2.0
# A test program test by test: which found what, in text, JSON and JUnit; Catch2's way of listing;
# a program that has no tests; with GoogleTest itself where it is installed.
set +e
unset MAKEFLAGS MAKELEVEL
cp "$HERE/each-test.cpp" .
"$HEDDLE" c++ -g -o google each-test.cpp && "$HEDDLE" c++ -g -DCATCH -o catch each-test.cpp || exit
"$HEDDLE" check --each-test --no-explore -- ./google >out 2>notes; echo "exit $?"
sed 's/^heddle: //' notes
grep -E '^(test|race|[0-9]+ finding)' out | sed 's/,.*//'
echo "== again, from the file"
"$HEDDLE" list | cut -d ' ' -f 1
"$HEDDLE" report --junit >junit.xml
python3 - <<'END'
import json, xml.etree.ElementTree as tree
for case in tree.parse("junit.xml").getroot().iter("testcase"):
    print(case.get("name"), [f.get("type") for f in case.iter("failure")])
print([(t["name"], len(t["findings"])) for t in json.load(open("google.heddle/findings.json"))["tests"]])
END
"$HEDDLE" list | cut -d ' ' -f 1 >known
"$HEDDLE" check --each-test --no-explore --baseline known -- ./google >out 2>notes; echo "with a baseline: exit $?"
grep '^test' out
echo "== Catch2"
"$HEDDLE" check --each-test --no-explore -- ./catch 2>&1 | grep -E '^test'
echo "== none"
printf 'int main(void) { return 0; }\n' >none.c && "$HEDDLE" cc -o none none.c
"$HEDDLE" check --each-test -- ./none; echo "exit $?"
"$HEDDLE" check --each-test; echo "exit $?"
echo "== GoogleTest itself"
cat >own.cpp <<'END'
#include <gtest/gtest.h>
#include <thread>
static int n;
TEST(Own, Races)
{
    std::thread a([] { n++; }), b([] { n++; });
    a.join();
    b.join();
    EXPECT_GT(n, 0);
}
TEST(Own, Alone) { EXPECT_EQ(1, 1); }
END
if [ -f /usr/lib/x86_64-linux-gnu/libgtest.a ] && "$HEDDLE" c++ -g -o own own.cpp -lgtest -lgtest_main -pthread 2>/dev/null; then
    "$HEDDLE" check --each-test --no-explore -- ./own 2>/dev/null | grep '^test' | sed 's/race-[0-9a-f]*/race/'
else
    printf 'test Own.Races: race\ntest Own.Alone: nothing found\n'
fi
