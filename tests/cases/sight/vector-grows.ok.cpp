// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A vector grows under the exclusive lock, and is gone through under the shared one.
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::vector<int> samples{1, 2, 3, 4};
static std::shared_mutex lock;

static int sum()
{
    std::shared_lock<std::shared_mutex> hold(lock);
    return std::accumulate(samples.begin(), samples.end(), 0); //~ here
}

int main()
{
    int total = 0;
    std::thread writer([] {
        std::unique_lock<std::shared_mutex> hold(lock);
        samples.push_back(5); //~ here
    });
    std::thread reader([&] { total = sum(); });
    writer.join();
    reader.join();
    return total == 0;
}
