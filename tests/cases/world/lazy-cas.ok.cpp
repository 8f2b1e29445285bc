// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Who comes first publishes the object by compare and exchange; losers delete theirs.
#include <atomic>
#include <string>
#include <thread>

struct table {
    int size = 0;
    std::string name;
};

static std::atomic<table *> shared{nullptr};

static table *get()
{
    table *t = shared.load(std::memory_order_acquire);
    if (t != nullptr)
        return t;
    table *mine = new table;
    mine->size = 5;
    mine->name = "a name of more than fifteen characters";
    if (shared.compare_exchange_strong(t, mine, std::memory_order_acq_rel,
                                       std::memory_order_acquire))
        return mine;
    delete mine;
    return t;
}

int main()
{
    int sizes[2] = {0, 0};
    std::thread a([&] { sizes[0] = get()->size; }); //~ here
    std::thread b([&] { sizes[1] = get()->size; }); //~ here
    a.join();
    b.join();
    delete shared.load();
    return sizes[0] != 5 || sizes[1] != 5;
}
