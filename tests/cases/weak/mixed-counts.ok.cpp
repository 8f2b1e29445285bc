// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The last owner of a shared_ptr is found by one load of both of its counts: objects that overlap, and all is in order.
#include <atomic>
#include <future>
#include <memory>
#include <thread>

struct box {
    int value = 0;
    ~box() { value = -1; }
};

static int add(std::shared_ptr<const box> one, std::shared_future<int> other)
{
    return one->value + other.get();
}

int main()
{
    std::atomic<int> started{0};
    std::promise<int> promise;
    std::shared_future<int> given = promise.get_future().share();
    int sums[2] = {0, 0};
    auto b = std::make_shared<box>();
    b->value = 1;
    std::thread one([&sums, &started, b, given] {
        started.fetch_add(1, std::memory_order_relaxed);
        sums[0] = add(b, given);
    });
    std::thread two([&sums, &started, b, given] {
        started.fetch_add(1, std::memory_order_relaxed);
        sums[1] = add(b, given);
    });
    b.reset();
    promise.set_value(2);
    one.join();
    two.join();
    return sums[0] + sums[1] == 6 && started == 2 ? 0 : 1;
}
