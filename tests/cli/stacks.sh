# SPDX-License-Identifier: Apache-2.0
# Where it is: call stacks with the lines of calls, entry functions, the line of source; the
# headline is the user's line and not a wrapper's, by the rule of thumb and by --own.
cat > wrap.h <<'END'
#include <pthread.h>
static inline void wrap_lock(pthread_mutex_t *m) { pthread_mutex_lock(m); }
static inline void wrap_unlock(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
static inline void add_relaxed(int *p, int by) { *p += by; }
END
cat > pool.h <<'END'
namespace db {
struct pool {
    int count;
    void put(int by);
};
}
END
cat > pool.cpp <<'END'
#include "pool.h"
#include "wrap.h"
void db::pool::put(int by)
{
    add_relaxed(&count, by);
}
END
cat > main.cpp <<'END'
#include "pool.h"
#include <pthread.h>
static db::pool shared;
static void once(db::pool *p)
{
    p->put(1);
}
static void (*action)(db::pool *) = once;
static void twice(db::pool *p)
{
    action(p);
    once(p);
}
static void *writer(void *arg)
{
    twice((db::pool *)arg);
    return nullptr;
}
int main()
{
    pthread_t a, b;
    pthread_create(&a, nullptr, writer, &shared);
    pthread_create(&b, nullptr, writer, &shared);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    return shared.count > 4;
}
END
"$HEDDLE" c++ -g -o pool main.cpp pool.cpp || exit
show() {
    python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if not f["shown"]:
        continue
    print(f["message"])
    for t in f["threads"]:
        print("  thread", t["name"], "entry", t["entry"], "made", t["line"])
    for s in [s for s in f["steps"] if s["key"]]:
        print("  step", s["file"], s["line"], "own", s.get("own", 0), "text:", s["text"])
        for x in s["stack"]:
            print("   ", x["function"], x["file"], x["line"], x.get("lines", ""))
'
}
"$HEDDLE" check --no-explore --json -- ./pool 2> errors | show
echo "-- own: main.cpp"
"$HEDDLE" check --no-explore --own main.cpp --json -- ./pool 2> errors | show | grep -v "^   "
echo "-- own: wrap.h"
"$HEDDLE" check --no-explore --own ./wrap.h --json -- ./pool 2> errors | show | grep -v "^   "
