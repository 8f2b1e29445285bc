// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race|use-after-free
// The last one to let go deletes; the count is taken down relaxed.
#include <atomic>
#include <cassert>
#include <thread>

class text {
public:
    void take() { count_.fetch_add(1, std::memory_order_relaxed); }
    void drop()
    {
        if (count_.fetch_sub(1, std::memory_order_relaxed) == 1)
            delete this; //~ here
    }
    int length = 5;
    ~text() { length = 0; } //~ here

private:
    std::atomic<int> count_{1};
};

static void use(text *t)
{
    assert(t->length == 5); //~ here
    t->drop();
}

int main()
{
    text *t = new text;
    t->take();
    std::thread a(use, t), b(use, t);
    a.join();
    b.join();
}
