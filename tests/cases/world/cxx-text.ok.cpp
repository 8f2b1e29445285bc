// SPDX-License-Identifier: Apache-2.0
// The same under a lock; texts of each thread's own, and one that is handed over.
//~ check: quiet
#include <future>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::string name = "nobody", copy;

int main()
{
    std::promise<std::string> told;
    std::future<std::string> hears = told.get_future();
    std::thread writer([&] {
        std::string own = "somebody ";
        own += std::to_string(42) + " with a long name";
        own.insert(0, "this is ");
        {
            std::lock_guard<std::mutex> held(lock);
            name = own;
        }
        own.erase(2);
        told.set_value(std::move(own));
    });
    std::thread reader([&] {
        {
            std::lock_guard<std::mutex> held(lock);
            copy = name;
        }
        std::string heard = hears.get();
        heard.append(" and more than fits into a short one");
    });
    writer.join();
    reader.join();
    return copy.find('n') == std::string::npos || name.size() < 10;
}
