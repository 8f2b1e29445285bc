// SPDX-License-Identifier: Apache-2.0
//~ check: race|weak-race|uninitialised|use-after-free
// Who comes first makes the object; others may see the pointer before the object is made.
#include <atomic>
#include <string>
#include <thread>

struct table {
    int size = 0;
    std::string name;
};

static table *shared;

static table *get()
{
    if (shared == nullptr) { //~ here
        shared = new table; //~ here
        shared->size = 5; //~ here
        shared->name = "a name of more than fifteen characters"; //~ here
    }
    return shared; //~ here
}

int main()
{
    int sizes[2] = {0, 0};
    std::thread a([&] { sizes[0] = get()->size; }); //~ here
    std::thread b([&] { sizes[1] = get()->size; }); //~ here
    a.join();
    b.join();
    return 0;
}
