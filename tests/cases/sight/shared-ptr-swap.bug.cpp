// SPDX-License-Identifier: Apache-2.0
//~ check: race
// One shared_ptr object is assigned by a thread and copied by another.
#include <atomic>
#include <memory>
#include <thread>

struct config {
    int limit;
};

static std::shared_ptr<const config> current = std::make_shared<config>(config{1});

static void reload()
{
    auto next = std::make_shared<const config>(config{2});
    current = next; //~ here
}

static int limit()
{
    std::shared_ptr<const config> mine = current; //~ here
    return mine->limit;
}

int main()
{
    std::thread t(reload);
    int n = limit();
    t.join();
    return n != 1 && n != 2;
}
