// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A mutex of C++ is given back by who does not have it.
#include <mutex>
#include <thread>

static std::mutex m;

int main()
{
    m.lock();
    std::thread t([] { m.unlock(); }); //~ A
    t.join();
}
