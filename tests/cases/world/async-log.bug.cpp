// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Tasks of std::async count what they did in a plain number.
#include <cstdio>
#include <future>
#include <sstream>
#include <vector>

static int words;

static int split(const char *text)
{
    std::istringstream in(text);
    std::string word;
    int n = 0;
    while (in >> word) {
        n++;
        words++; //~ here
    }
    return n;
}

int main()
{
    auto a = std::async(std::launch::async, split, "one two three");
    auto b = std::async(std::launch::async, split, "four five");
    int sum = a.get() + b.get();
    std::printf("%d words\n", sum);
    return words > 5;
}
