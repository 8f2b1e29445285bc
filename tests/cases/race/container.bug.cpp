// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// Two threads put something into a table: found at the program's line, however deep in the
// library's headers the accesses are.
#include <string>
#include <thread>
#include <unordered_map>

static std::unordered_map<int, std::string> names;

static void put(int key)
{
    names[key] = "somebody"; //~ A
}

int main()
{
    std::thread a(put, 1), b(put, 2);
    a.join();
    b.join();
}
