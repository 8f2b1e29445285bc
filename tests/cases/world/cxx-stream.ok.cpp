// SPDX-License-Identifier: Apache-2.0
// Under a lock; each into its own; into the standard streams, which may be shared; into one whose
// buffer has a lock of its own.
//~ check: quiet
#include <iostream>
#include <mutex>
#include <sstream>
#include <streambuf>
#include <string>
#include <thread>

static std::mutex lock;
static std::ostringstream text;

struct counter : std::streambuf {
    std::mutex own;
    int count = 0;
    int overflow(int) override
    {
        std::lock_guard<std::mutex> held(own);
        count++;
        return 0;
    }
};
static counter counted;
static std::ostream log_stream(&counted);

static void tell(int number)
{
    std::ostringstream mine;
    mine << "number " << number << ' ' << 1.5 << std::endl;
    std::istringstream back(mine.str());
    std::string word;
    int seen = 0;
    back >> word >> seen;
    {
        std::lock_guard<std::mutex> held(lock);
        text << mine.str() << seen;
    }
    std::cout << "";
    std::cerr << "";
    log_stream.put('x');
}

int main()
{
    std::thread one(tell, 1), two(tell, 2);
    one.join();
    two.join();
    return text.str().empty() || counted.count != 2;
}
