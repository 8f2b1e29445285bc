// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A vector grows while another thread goes through it.
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::vector<int> samples{1, 2, 3, 4};

static int sum()
{
    return std::accumulate(samples.begin(), samples.end(), 0); //~ here
}

int main()
{
    int total = 0;
    std::thread writer([] {
        samples.push_back(5); //~ here
    });
    std::thread reader([&] { total = sum(); });
    writer.join();
    reader.join();
    return total == 0;
}
