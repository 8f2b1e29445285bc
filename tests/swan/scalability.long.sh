# SPDX-License-Identifier: Apache-2.0
# limit: 14400
# 100 random insufficient fixes for each number of threads and share of writes: all are broken. How many
# schedules that takes is in docs/results.md, with its goal.
"$HERE/eval" --seeds 100 --json figures.json scalability >figures
python3 - <<'END'
import json
rows = json.load(open("figures.json"))["scalability"]
for name, threads, fixes, broken, *_ in rows:
    if broken != fixes:
        print(f"{name}, {threads} threads: {broken} of {fixes} broken")
print(len(rows), "rows")
END
