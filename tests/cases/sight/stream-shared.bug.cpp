// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two threads write numbers into one string stream.
#include <iostream>
#include <sstream>
#include <thread>

static std::ostringstream all;

static void tell(int n)
{
    all << "n = " << n << ';'; //~ here
}

int main()
{
    std::thread a(tell, 1), b(tell, 2);
    a.join();
    b.join();
    return 0;
}
