// SPDX-License-Identifier: Apache-2.0
//~ expect: atomicity A B
// The check and the act are each under the lock, but not together.
#include <mutex>
#include <thread>

static int seats = 3;
static std::mutex m;

static void sell()
{
    int left;
    {
        std::lock_guard<std::mutex> guard(m);
        left = seats; //~ A
    }
    if (left > 0) {
        std::lock_guard<std::mutex> guard(m);
        seats = left - 1; //~ B
    }
}

int main()
{
    std::thread a(sell), b(sell);
    a.join();
    b.join();
}
