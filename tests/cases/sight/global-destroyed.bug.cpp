// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A global map is destroyed at the end of the process while a detached thread looks into it.
#include <algorithm>
#include <map>
#include <string>
#include <thread>

static std::map<int, std::string> names = {{1, "one"}, {2, "two"}};

static std::size_t longest()
{
    std::size_t n = 0;
    for (const auto &entry : names) //~ here
        n = std::max(n, entry.second.size()); //~ here
    return n;
}

int main()
{
    std::thread([] { longest(); }).detach(); //~ here
    return 0;
}
