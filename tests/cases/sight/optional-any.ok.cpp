// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// An optional and an any are given values, then a flag is set with release order.
#include <any>
#include <atomic>
#include <optional>
#include <string>
#include <thread>

static std::optional<std::string> name;
static std::any extra;
static std::atomic<bool> there{false};

int main()
{
    std::thread t([] {
        name = "a name that is too long to be kept inside the string"; //~ here
        extra = 42; //~ here
        there.store(true, std::memory_order_release);
    });
    std::size_t n = 0;
    if (there.load(std::memory_order_acquire))
    if (name.has_value() && extra.has_value()) //~ here
        n = name->size() + std::any_cast<int>(extra); //~ here
    t.join();
    return n == 1;
}
