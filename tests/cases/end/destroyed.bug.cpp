// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free
// A global object is destroyed while a thread may still use it.
#include <cstdio>
#include <mutex>
#include <thread>

struct log {
    std::mutex m;
    int *lines = new int(0);
    ~log()
    {
        std::lock_guard<std::mutex> hold(m);
        delete lines;
    }
    void add()
    {
        std::lock_guard<std::mutex> hold(m);
        ++*lines;
    }
};
static log all;

int main()
{
    std::thread worker([] { all.add(); });
    worker.detach();
    return 0;
}
