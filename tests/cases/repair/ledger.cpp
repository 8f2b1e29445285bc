// SPDX-License-Identifier: Apache-2.0
// Every method takes the lock but one, which walks through the container.
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Ledger {
public:
    void pay(const std::string &who, int amount)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        entries_[who] += amount;
        total_ += amount;
    }
    bool agrees() const
    {
        int sum = 0;
        for (const auto &entry : entries_)
            sum += entry.second;
        return sum == total_;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, int> entries_;
    int total_ = 0;
};

int main()
{
    Ledger ledger;
    ledger.pay("anna", 1);
    std::thread clerk([&ledger] { ledger.pay("anna", 5); });
    bool agrees = ledger.agrees();
    clerk.join();
    return agrees ? 0 : 1;
}
