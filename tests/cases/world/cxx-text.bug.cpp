// SPDX-License-Identifier: Apache-2.0
// A name is set while another thread looks at it: the library's compiled code does both.
//~ check: race
#include <string>
#include <thread>

static std::string name = "nobody", copy;

int main()
{
    std::thread writer([] { name = "somebody with a long name"; }); //~ here
    std::thread reader([] { copy = name; });                        //~ here
    writer.join();
    reader.join();
    return 0;
}
