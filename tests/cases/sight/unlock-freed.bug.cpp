// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free|use-after-destroy|misuse
// The object that a guard has locked is deleted before the guard unlocks it.
#include <mutex>
#include <thread>

struct node {
    std::mutex lock;
    int count = 2;
};

static void drop(node *n)
{
    bool last;
    std::unique_lock<std::mutex> hold(n->lock);
    last = --n->count == 0;
    if (last)
        delete n; //~ here
} //~ here

int main()
{
    node *n = new node;
    std::thread a(drop, n), b(drop, n);
    a.join();
    b.join();
    return 0;
}
