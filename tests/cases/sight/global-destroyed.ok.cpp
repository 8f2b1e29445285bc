// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A global map is never destroyed, for a detached thread may look into it.
#include <algorithm>
#include <map>
#include <string>
#include <thread>

static auto &names = *new std::map<int, std::string>{{1, "one"}, {2, "two"}};

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
