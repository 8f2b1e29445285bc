// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// It is deleted when the other thread has ended; a promise and a shared pointer end by themselves.
#include <future>
#include <memory>
#include <mutex>
#include <thread>

struct job {
    std::mutex m;
    int n = 0;
};

int main()
{
    job *j = new job;
    std::thread t([j] { std::lock_guard<std::mutex> g(j->m); });
    {
        std::lock_guard<std::mutex> g(j->m);
    }
    t.join();
    delete j;
    auto shared = std::make_shared<job>();
    std::thread u([shared] {
        std::lock_guard<std::mutex> g(shared->m);
        shared->n++;
    });
    {
        std::lock_guard<std::mutex> g(shared->m);
        shared->n++;
    }
    shared.reset();
    auto promise = new std::promise<int>;
    auto future = promise->get_future();
    std::thread v([p = std::move(*promise)]() mutable { p.set_value(1); });
    delete promise;
    int got = future.get();
    u.join();
    v.join();
    return got - 1;
}
