// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Workers fill containers of their own; the plain counter between them is everybody's.
#include <atomic>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static long handled;

static std::string handle(const std::vector<std::string> &lines)
{
    std::map<std::string, int> counts;
    std::set<std::size_t> lengths;
    for (const auto &l : lines) {
        ++counts[l];
        lengths.insert(l.size());
        handled++; //~ here
    }
    std::ostringstream out;
    for (const auto &[word, n] : counts)
        out << word << '=' << n << ' ';
    return out.str() + std::to_string(lengths.size());
}

int main()
{
    std::vector<std::string> results(2);
    std::thread a([&] { results[0] = handle({"x", "yy", "x"}); });
    std::thread b([&] { results[1] = handle({"z", "zz"}); });
    a.join();
    b.join();
    return results[0].empty() || results[1].empty();
}
