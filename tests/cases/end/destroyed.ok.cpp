// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A global object is destroyed while a thread may still use it, which finds that out.
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
        lines = nullptr;
    }
    void add()
    {
        std::lock_guard<std::mutex> hold(m);
        if (lines)
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
