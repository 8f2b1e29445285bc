// SPDX-License-Identifier: Apache-2.0
// Two threads print into one stream of text.
//~ check: race
#include <sstream>
#include <thread>

static std::ostringstream text;

static void tell(int number)
{
    text << "number "; //~ here
    text << number;    //~ here
}

int main()
{
    std::thread one(tell, 1), two(tell, 2);
    one.join();
    two.join();
    return text.str().empty();
}
