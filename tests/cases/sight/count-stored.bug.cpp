// SPDX-License-Identifier: Apache-2.0
//~ check: atomicity
// A reference count goes down by a load and a store: the last user may not know that it is.
#include <atomic>
#include <thread>
static std::atomic<int> ended;
struct object {
    std::atomic<int> refs{2};
    ~object() { ended++; }
};
static void put(object *o)
{
    int n = o->refs.load(); //~ here
    o->refs.store(n - 1);   //~ here
    if (n == 1)
        delete o;
}
int main()
{
    auto *o = new object;
    std::thread a(put, o), b(put, o);
    a.join();
    b.join();
    return ended == 1 ? 0 : 1;
}
