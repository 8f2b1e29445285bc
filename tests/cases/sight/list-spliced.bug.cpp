// SPDX-License-Identifier: Apache-2.0
//~ check: race
// The newest entry is moved to the front of a list while another thread looks at the front.
#include <list>
#include <mutex>
#include <thread>

static std::list<int> recent{1, 2, 3};
static std::mutex lock;

static void touch_last()
{
    std::lock_guard<std::mutex> hold(lock);
    recent.splice(recent.begin(), recent, std::prev(recent.end())); //~ here
}

static int newest()
{
    return recent.front(); //~ here
}

int main()
{
    std::thread t(touch_last);
    int n = newest();
    t.join();
    return n != 1 && n != 3;
}
