// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free
// The list may be gone before it is used, each under the lock.
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

static std::unique_ptr<std::vector<int>> list;
static std::mutex m;

static void use(std::vector<int> *mine)
{
    std::lock_guard<std::mutex> guard(m);
    std::printf("%d\n", (*mine)[1]);
}

static void close()
{
    std::lock_guard<std::mutex> guard(m);
    list.reset();
}

int main()
{
    list.reset(new std::vector<int>{1, 2, 3});
    std::thread a(use, list.get()), b(close);
    a.join();
    b.join();
}
