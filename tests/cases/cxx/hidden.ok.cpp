// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The accesses are in the sections.
#include <mutex>
#include <thread>

static int value, other;
static std::mutex m;

static void one()
{
    {
        std::lock_guard<std::mutex> guard(m);
        other++;
        value = 1;
    }
}

static void two()
{
    {
        std::lock_guard<std::mutex> guard(m);
        other++;
        value = 2;
    }
}

int main()
{
    std::thread a(one), b(two);
    a.join();
    b.join();
}
