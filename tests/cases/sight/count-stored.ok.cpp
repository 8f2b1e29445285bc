// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// By one operation.
#include <atomic>
#include <thread>
struct object { std::atomic<int> refs{2}; int data = 5; };
static void put(object *o)
{
    if (o->refs.fetch_sub(1) == 1)
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
