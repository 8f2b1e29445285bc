#include <cassert>
#include <cstdio>
#include <mutex>
#include <thread>

class Inventory {
public:
    explicit Inventory(int stock) : stock_(stock) {}
    bool has(int want)
    {
        std::lock_guard<std::mutex> hold(lock_);
        return stock_ >= want;
    }
    void take(int want)
    {
        std::lock_guard<std::mutex> hold(lock_);
        stock_ -= want;
        sold_ += want;
    }
    int left()
    {
        std::lock_guard<std::mutex> hold(lock_);
        return stock_;
    }

private:
    std::mutex lock_;
    int stock_;
    int sold_ = 0;
};

static void buyer(Inventory *inv)
{
    if (inv->has(3))
        inv->take(3);
}

int main()
{
    Inventory inv(5);
    std::thread a(buyer, &inv), b(buyer, &inv);
    a.join();
    b.join();
    std::printf("%d\n", inv.left());
    assert(inv.left() >= 0);
}
