// SPDX-License-Identifier: Apache-2.0
// Whoever takes asks first, and asking has a section of its own.
#include <mutex>
#include <thread>

class Stock {
public:
    explicit Stock(int n) : left_(n) {}
    int left()
    {
        std::lock_guard<std::mutex> hold(mutex_);
        return left_;
    }
    bool take(int n)
    {
        if (left() < n)
            return false;
        std::lock_guard<std::mutex> hold(mutex_);
        left_ -= n;
        return true;
    }

private:
    std::mutex mutex_;
    int left_;
};

int main()
{
    Stock stock(5);
    std::thread a([&] { stock.take(3); });
    std::thread b([&] { stock.take(4); });
    a.join();
    b.join();
    return stock.left() < 0;
}
