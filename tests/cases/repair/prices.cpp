// SPDX-License-Identifier: Apache-2.0
// Who asks holds the lock for reading, and counts.
#include <map>
#include <shared_mutex>
#include <string>
#include <thread>

class Prices {
public:
    Prices() { prices_["tea"] = 3; }

    int get(const std::string &name)
    {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        asked_ = asked_ + 1;
        auto it = prices_.find(name);
        return it == prices_.end() ? -1 : it->second;
    }

    int asked() const { return asked_; }

private:
    std::shared_mutex mutex_;
    std::map<std::string, int> prices_;
    int asked_ = 0;
};

int main()
{
    Prices prices;
    std::thread a([&] { prices.get("tea"); });
    std::thread b([&] { prices.get("tea"); });
    a.join();
    b.join();
    return prices.asked() == 2 ? 0 : 1;
}
