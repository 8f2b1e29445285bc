// SPDX-License-Identifier: Apache-2.0
//~ expect: race
// The lock sections order the accesses in this run, by accident.
#include <mutex>
#include <thread>

static int value, other;
static std::mutex m;

static void one()
{
    value = 1;
    {
        std::lock_guard<std::mutex> guard(m);
        other++;
    }
}

static void two()
{
    {
        std::lock_guard<std::mutex> guard(m);
        other++;
    }
    value = 2;
}

int main()
{
    std::thread a(one), b(two);
    a.join();
    b.join();
}
