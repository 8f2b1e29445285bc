// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// An object is made when it is first asked for, by std::call_once or as a local static.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

using table = std::map<std::string, int>;

static std::unique_ptr<table> names;
static std::once_flag made;

static const table &get()
{
    std::call_once(made, [] { names = std::make_unique<table>(table{{"one", 1}, {"two", 2}}); });
    return *names; //~ here
}

static const std::string &motto()
{
    static const std::string text = "slow and steady wins the race";
    return text;
}

int main()
{
    std::size_t n[2] = {0, 0};
    std::thread a([&] { n[0] = get().count("one") + motto().size(); });
    std::thread b([&] { n[1] = get().count("two") + motto().size(); });
    a.join();
    b.join();
    return 0;
}
