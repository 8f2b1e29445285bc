// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Tasks of std::async return what they did, and main adds it up.
#include <cstdio>
#include <future>
#include <sstream>
#include <vector>

static int split(const char *text)
{
    std::istringstream in(text);
    std::string word;
    int n = 0;
    while (in >> word) {
        n++;
    }
    return n;
}

int main()
{
    auto a = std::async(std::launch::async, split, "one two three");
    auto b = std::async(std::launch::async, split, "four five");
    int sum = a.get() + b.get();
    std::printf("%d words\n", sum);
    return sum != 5;
}
