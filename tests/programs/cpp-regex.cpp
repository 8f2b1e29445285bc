// SPDX-License-Identifier: Apache-2.0
//
// Two threads take lines apart with regular expressions and count what they find under a lock:
// a small source that makes the compiler work, for the templates behind it call each other.
//~ exit: 0
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::map<std::string, int> counts;

static void count(const std::vector<std::string> &lines)
{
    static const std::regex header("([A-Za-z-]+): *([^;]*)(?:;.*)?", std::regex::optimize);
    for (const std::string &line : lines) {
        std::smatch found;
        if (!std::regex_match(line, found, header))
            continue;
        std::lock_guard<std::mutex> guard(lock);
        counts[found[1].str()] += static_cast<int>(found[2].length());
    }
}

int main()
{
    std::vector<std::string> lines = {"Host: example", "Accept: text; q=1", "nothing"};
    std::thread other([&] { count(lines); });
    count(lines);
    other.join();
    return counts["Host"] == 14 && counts["Accept"] == 8 ? 0 : 1;
}
