// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The worker belongs to an object that joins it before the local static it uses goes.
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class logger {
public:
    static logger &get()
    {
        static logger one;
        return one;
    }
    void add(std::string line)
    {
        std::lock_guard<std::mutex> hold(lock);
        lines.push_back(std::move(line)); //~ here
    }
    ~logger()
    {
        std::lock_guard<std::mutex> hold(lock);
        lines.clear(); //~ here
        lines.shrink_to_fit(); //~ here
    }

private:
    std::mutex lock;
    std::vector<std::string> lines;
};

struct background {
    std::thread t;
    background() : t([] { logger::get().add("a line of the background worker"); }) {}
    ~background() { t.join(); }
};

int main()
{
    logger::get().add("begun");
    background b;
    return 0;
}
