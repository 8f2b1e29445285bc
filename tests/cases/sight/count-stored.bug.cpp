// SPDX-License-Identifier: Apache-2.0
//~ check: atomicity
// A reference count goes down by a load and a store.
#include <atomic>
#include <thread>
struct object { std::atomic<int> refs{2}; int data = 5; };
static void put(object *o)
{
    int n = o->refs.load(); //~ here
    o->refs.store(n - 1);   //~ here
    if (n == 1)
        delete o; //~ here
}
int main()
{
    auto *o = new object;
    std::thread a(put, o), b(put, o);
    a.join();
    b.join();
    return 0;
}
