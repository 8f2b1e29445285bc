/* SPDX-License-Identifier: Apache-2.0
 *
 * containers: four threads read words of a text into strings, count them in maps of their own,
 * and put what they have into one map under a lock; what C++ programs spend their time with. */
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::map<std::string, unsigned> all;
static std::mutex guard;

static void count(const std::string &text, size_t at, size_t end)
{
    std::unordered_map<std::string, unsigned> mine;
    std::vector<std::string> order;
    std::string word;
    for (; at < end; at++) {
        if (std::isalpha((unsigned char)text[at])) {
            word += text[at];
        } else if (!word.empty()) {
            if (mine[word]++ == 0)
                order.push_back(word);
            word.clear();
        }
    }
    for (const auto &w : order) {
        std::lock_guard<std::mutex> hold(guard);
        all[w] += mine[w];
    }
}

int main(int argc, char **argv)
{
    enum { THREADS = 4 };
    std::ifstream file(argc > 1 ? argv[1] : "/dev/null");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<std::thread> threads;
    size_t part = text.size() / THREADS;
    for (size_t i = 0; i < THREADS; i++)
        threads.emplace_back(count, std::cref(text), i * part, (i + 1) * part);
    for (auto &t : threads)
        t.join();
    unsigned long sum = 0;
    for (const auto &[word, times] : all)
        sum += word.size() * times;
    std::cout << all.size() << " words, " << sum << " letters\n";
    return 0;
}
