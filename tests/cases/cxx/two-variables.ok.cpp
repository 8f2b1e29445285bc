// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Two variables that belong together change in one section.
#include <cstdio>
#include <mutex>
#include <thread>

static int checking = 100, savings = 100;
static std::mutex m;

static void move()
{
    for (int i = 0; i < 2; i++) {
        m.lock();
        savings += 10;
        checking -= 10;
        m.unlock();
    }
}

static void look()
{
    std::lock_guard<std::mutex> guard(m);
    std::printf("%d\n", checking + savings);
}

int main()
{
    std::thread a(move), b(look);
    a.join();
    b.join();
}
