// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock
// Three threads, three locks, in a ring.
#include <mutex>
#include <thread>

static std::mutex m[3];

static void eat(int seat)
{
    int left = seat, right = (seat + 1) % 3;
    std::lock_guard<std::mutex> first(m[left]);
    std::lock_guard<std::mutex> second(m[right]);
}

int main()
{
    std::thread a(eat, 0), b(eat, 1), c(eat, 2);
    a.join();
    b.join();
    c.join();
}
