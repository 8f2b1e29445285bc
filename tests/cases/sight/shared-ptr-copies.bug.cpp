// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Copies of a shared_ptr are the threads' own, what they point to is not.
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct session {
    std::mutex lock;
    int bytes = 0;
    ~session() { bytes = -1; }
};

static void serve(std::shared_ptr<session> s)
{
    s->bytes += 10; //~ here
}

int main()
{
    auto s = std::make_shared<session>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back(serve, s);
    s.reset();
    for (auto &t : threads)
        t.join();
    return 0;
}
