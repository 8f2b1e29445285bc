// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The pointer is taken away where it is tested.
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
        number = nullptr;
    }
    if (mine) {
        delete mine;
    }
}

int main()
{
    number = new int(3);
    std::thread a(drop), b(drop);
    a.join();
    b.join();
}
