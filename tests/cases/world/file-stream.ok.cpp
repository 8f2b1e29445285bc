// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads write a file of their own each and note its name in one vector under a lock.
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::vector<std::string> names;
static std::mutex lock;

static void write_part(int number)
{
    std::string name = "part" + std::to_string(number) + ".txt";
    std::ofstream(name) << "part " << number << "\n";
    std::lock_guard<std::mutex> guard(lock);
    names.push_back(name);
}

int main()
{
    names.reserve(4);
    std::thread a(write_part, 1), b(write_part, 2);
    a.join();
    b.join();
    std::printf("%zu parts\n", names.size());
    return 0;
}
