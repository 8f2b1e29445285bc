// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// Two threads count.
#include <thread>

static int counter;

static void count()
{
    counter++; //~ A
}

int main()
{
    std::thread a(count), b(count);
    a.join();
    b.join();
}
