// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each thread writes into a string stream of its own; both write to std::cerr, which allows it.
#include <iostream>
#include <sstream>
#include <thread>


static void tell(int n)
{
    std::ostringstream all;
    all << "n = " << n << ';'; //~ here
    std::cerr << all.str() << '\n';
}

int main()
{
    std::thread a(tell, 1), b(tell, 2);
    a.join();
    b.join();
    return 0;
}
