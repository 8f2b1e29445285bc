// SPDX-License-Identifier: Apache-2.0
// A tree is put in balance by compiled code while another thread searches in it; the number of
// elements, which is in the headers, is not looked at.
//~ check: race
#include <set>
#include <thread>

static std::set<int> known = {1, 2, 3};
static bool found;

int main()
{
    std::thread writer([] { known.insert(4); });                        //~ here
    std::thread reader([] { found = known.find(4) != known.end(); });   //~ here
    writer.join();
    reader.join();
    return 0;
}
