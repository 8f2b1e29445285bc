# SPDX-License-Identifier: Apache-2.0
# Every kind of object of the C++ library: one run tells all races on them, and none where a lock
# is held. What containers do is seen, and orders nothing else.
lines() { grep -no "// $1\$" "$HERE/library/objects.cpp" | cut -d: -f1; }
for std in 17 20; do
    for right in "" -DRIGHT; do
        "$HEDDLE" c++ -std=c++$std $right "$HERE/library/objects.cpp" -o objects
        "$HEDDLE" run -- ./objects
        "$HEDDLE" predict --json objects.heddle/runs/last/trace > found.json 2> /dev/null
        python3 - $std "$right" "$(lines first)" "$(lines last)" << 'END'
import json, re, sys
std, right, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
found = [f for f in json.load(open("found.json"))["findings"] if f["pattern"] == "race"]
at = {int(n) for f in found for n in re.findall(r"objects\.cpp:(\d+)", f["message"])}
print(f"C++{std} {right}: races in {len(at & set(range(first + 1, last)))} of {last - first - 1} lines")
END
    done
done
"$HERE/confirm" library/counter
