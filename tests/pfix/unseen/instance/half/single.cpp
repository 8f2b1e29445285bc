// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <thread>
#include <vector>
#include <mutex>

class Metrics {
public:
    static Metrics *get();
    void count() { std::lock_guard<std::mutex> g(m); n++; }
    int total() { std::lock_guard<std::mutex> g(m); return n; }
private:
    std::mutex m;
    int n = 0;
    static Metrics *self;
};

Metrics *Metrics::self = nullptr;

Metrics *Metrics::get()
{
    static std::mutex making;
    if (!self) {
        std::lock_guard<std::mutex> g(making);
        self = new Metrics();
    }
    return self;
}

static void work() { Metrics::get()->count(); }

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    if (Metrics::get()->total() != 2) {
        std::printf("%d\n", Metrics::get()->total());
        return 1;
    }
    return 0;
}
