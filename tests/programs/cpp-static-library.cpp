// A program that contains libstdc++: guards of local objects, hashes, random numbers, exceptions.
//~ flags: -static-libstdc++ -static-libgcc
//~ exit: 0
//~ stdout: made once, found 2, thrown 2, hash of abc 3663726644998027833
//~ std: c++20
#include <atomic>
#include <iostream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>

namespace {
std::atomic<int> made{0};

struct table {
    std::unordered_map<std::string, int> names{{"twelve", 12}, {"eightfold", 8}};
    table() { made++; }
};

const table &numbers()
{
    static table t;
    return t;
}
} // namespace

int main()
{
    std::atomic<int> found{0}, thrown{0};
    auto look = [&] {
        std::random_device device;
        unsigned chance = device() % 2;
        found += numbers().names.at(chance ? "twelve" : "eightfold") > 0;
        try {
            numbers().names.at("eleven");
        } catch (const std::out_of_range &) {
            thrown++;
        }
    };
    std::thread a(look), b(look);
    a.join();
    b.join();
    std::cout << "made " << (made == 1 ? "once" : "again") << ", found " << found << ", thrown "
              << thrown << ", hash of abc " << std::hash<std::string>{}("abc") << '\n';
}
