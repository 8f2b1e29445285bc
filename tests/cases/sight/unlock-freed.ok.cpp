// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The object is deleted by whoever drops the last count, after unlocking it.
#include <mutex>
#include <thread>

struct node {
    std::mutex lock;
    int count = 2;
};

static void drop(node *n)
{
    bool last;
    {
        std::lock_guard<std::mutex> hold(n->lock);
        last = --n->count == 0;
    }
    if (last)
        delete n;
} //~ here

int main()
{
    node *n = new node;
    std::thread a(drop, n), b(drop, n);
    a.join();
    b.join();
    return 0;
}
