// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Three threads, three locks, always the lower one first.
#include <mutex>
#include <thread>

static std::mutex m[3];

static void eat(int seat)
{
    int left = seat < 2 ? seat : 0, right = seat < 2 ? seat + 1 : 2;
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
