// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// By one operation. What only one thread stores may go up by a load and a store, and so may what threads do in turn.
#include <atomic>
#include <thread>
static std::atomic<int> ended, seen, turn;
struct object {
    std::atomic<int> refs{2};
    ~object() { ended++; }
};
static void put(object *o, int who)
{
    if (who == 0) {
        int n = seen.load();
        seen.store(n + 1);
    }
    while (turn.load() != who)
        std::this_thread::yield();
    int now = turn.load();
    turn.store(now + 1);
    if (o->refs.fetch_sub(1) == 1)
        delete o;
}
int main()
{
    auto *o = new object;
    std::thread a(put, o, 0), b(put, o, 1);
    a.join();
    b.join();
    return ended == 1 && seen == 1 && turn == 2 ? 0 : 1;
}
