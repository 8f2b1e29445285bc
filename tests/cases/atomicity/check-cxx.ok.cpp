// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The check and the act are in one section.
#include <mutex>
#include <thread>

static int seats = 3;
static std::mutex m;

static void sell()
{
    std::lock_guard<std::mutex> guard(m);
    if (seats > 0)
        seats--;
}

int main()
{
    std::thread a(sell), b(sell);
    a.join();
    b.join();
}
