// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two threads append to one string.
#include <mutex>
#include <string>
#include <thread>

class journal {
public:
    void add(const char *what)
    {
        text += what; //~ here
        text += '\n'; //~ here
    }
    std::size_t size() const { return text.size(); }

private:
    std::string text;
};

int main()
{
    journal all;
    std::thread a([&] { all.add("the first worker has begun its long work"); }); //~ here
    std::thread b([&] { all.add("so has the second"); }); //~ here
    a.join();
    b.join();
    return all.size() == 0;
}
