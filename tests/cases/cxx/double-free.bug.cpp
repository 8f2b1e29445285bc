// SPDX-License-Identifier: Apache-2.0
//~ expect: double-free
// The pointer is tested under the lock, and taken away in another section.
#include <mutex>
#include <thread>

static int *number;
static std::mutex m;

static void drop()
{
    int *mine;
    {
        std::lock_guard<std::mutex> guard(m);
        mine = number;
    }
    if (mine) {
        delete mine;
        std::lock_guard<std::mutex> guard(m);
        number = nullptr;
    }
}

int main()
{
    number = new int(3);
    std::thread a(drop), b(drop);
    a.join();
    b.join();
}
