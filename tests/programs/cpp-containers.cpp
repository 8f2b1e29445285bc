// Threads share strings, maps and reference-counted objects.
//~ exit: 0
//~ stdout: words 4 total 400, log length 1200
//~ stdout: destroyed 10 of 10, expired yes
//~ std: c++17
#include <atomic>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> destroyed{0};

struct Object {
    std::vector<int> data = std::vector<int>(100, 1);
    ~Object()
    {
        destroyed++;
    }
};

int main()
{
    std::mutex m;
    std::map<std::string, int> count;
    std::string log;
    std::vector<std::thread> threads;
    const char *words[] = {"warp", "weft", "loom",
                           "heddle with a name too long for the buffer"};
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            for (int k = 0; k < 100; k++) {
                std::string word = words[(i + k) % 4];
                std::lock_guard lock(m);
                count[word]++;
                log += word.substr(0, 2) + ' ';
            }
        });
    for (auto &t : threads)
        t.join();
    threads.clear();
    int total = 0;
    for (const auto &[word, times] : count)
        total += times;
    std::cout << "words " << count.size() << " total " << total << ", log length " << log.size()
              << '\n';

    std::weak_ptr<Object> watch;
    std::atomic<int> sum{0};
    for (int i = 0; i < 10; i++) {
        auto object = std::make_shared<Object>();
        watch = object;
        for (int k = 0; k < 2; k++)
            threads.emplace_back([object, &sum] {
                std::shared_ptr<Object> mine = object;
                sum += mine->data[99];
            });
    }
    for (auto &t : threads)
        t.join();
    std::cout << "destroyed " << destroyed << " of 10, expired "
              << (watch.expired() && sum == 20 ? "yes" : "no") << '\n';
}
