// SPDX-License-Identifier: Apache-2.0
//~ check: race
// An optional and an any are given values while another thread looks whether there is one.
#include <any>
#include <atomic>
#include <optional>
#include <string>
#include <thread>

static std::optional<std::string> name;
static std::any extra;

int main()
{
    std::thread t([] {
        name = "a name that is too long to be kept inside the string"; //~ here
        extra = 42; //~ here
    });
    std::size_t n = 0;
    if (name.has_value() && extra.has_value()) //~ here
        n = name->size() + std::any_cast<int>(extra); //~ here
    t.join();
    return n == 1;
}
