// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free|uninitialised|double-free
// An object is made when it is first asked for, by whoever sees none.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

using table = std::map<std::string, int>;

static std::unique_ptr<table> names;

static const table &get()
{
    if (!names) //~ here
        names = std::make_unique<table>(table{{"one", 1}, {"two", 2}}); //~ here
    return *names; //~ here
}


int main()
{
    std::size_t n[2] = {0, 0};
    std::thread a([&] { n[0] = get().count("one"); }); //~ here
    std::thread b([&] { n[1] = get().count("two"); }); //~ here
    a.join();
    b.join();
    return 0;
}
