// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Exceptions cross threads by futures; the one who catches writes down what, without a lock.
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

static std::mutex lock;
static int open_files;
static std::string last;

struct file {
    file()
    {
        std::lock_guard<std::mutex> hold(lock);
        open_files++;
    }
    ~file()
    {
        std::lock_guard<std::mutex> hold(lock);
        open_files--;
    }
};

static int parse(int n)
{
    file f;
    try {
        if (n % 2)
            throw std::runtime_error("odd number " + std::to_string(n) + " is refused");
    } catch (const std::exception &e) {
        last = e.what(); //~ here
        throw;
    }
    return n;
}

int main()
{
    std::vector<std::future<int>> all;
    int sum = 0, bad = 0;
    for (int i = 0; i < 4; i++)
        all.push_back(std::async(std::launch::async, parse, i)); //~ here
    for (auto &f : all) {
        try {
            sum += f.get();
        } catch (const std::runtime_error &) {
            bad++;
        }
    }
    return sum != 2 || bad != 2 || open_files != 0;
}
