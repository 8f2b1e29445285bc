# SPDX-License-Identifier: Apache-2.0
# Members that are reached only through accessors of a library's templates are called as the source calls them, at any level of
# optimisation; what the source does not name at the access has the library's name, or that of the block.
set +e
cat >t.cpp <<'END'
#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <vector>
struct Stats { int hits = 0, misses = 0; long total = 0; };
struct Own {
    std::unique_ptr<Stats> stats = std::make_unique<Stats>();
    std::vector<Stats> all = std::vector<Stats>(3);
    std::map<int, Stats> by;
};
static Own own;
static int seen;
static void work()
{
    own.stats->hits++;
    own.stats->misses += 2;
    own.all[1].total = 1;
    own.by.find(1)->second.total = 4;
    if (own.all.back().misses == 7 && own.stats->total == 3)
        seen = 1;
}
int main()
{
    own.by[1].hits = 1;
    std::thread a(work), b(work);
    a.join();
    b.join();
    return own.stats->hits == 5;
}
END
for level in -O0 -O1 -O2; do
    "$HEDDLE" c++ -g $level t.cpp -o t -pthread
    echo "== $level"
    "$HEDDLE" check --no-explore --json -- ./t 2>/dev/null | python3 -c '
import json, sys
told = {(s["line"], s["object"]) for f in json.load(sys.stdin)["findings"] for s in f["steps"] if s["key"] and s["action"] in ("read", "write")}
print(*(f"{line} {name}" for line, name in sorted(told)), sep="\n")'
done
