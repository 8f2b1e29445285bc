// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The last one to let go deletes; the count is taken down with release and acquire.
#include <atomic>
#include <cassert>
#include <thread>

class text {
public:
    void take() { count_.fetch_add(1, std::memory_order_relaxed); }
    void drop()
    {
        if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete this;
    }
    int length = 5;
    ~text() { length = 0; }

private:
    std::atomic<int> count_{1};
};

static void use(text *t)
{
    assert(t->length == 5);
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
