// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Both locks at once.
#include <mutex>
#include <thread>

static std::mutex a, b;

int main()
{
    std::thread s([] { std::scoped_lock both(a, b); });
    std::thread t([] { std::scoped_lock both(b, a); });
    s.join();
    t.join();
}
