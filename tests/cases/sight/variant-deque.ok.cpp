// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The consumer takes messages out of a deque under the lock of the producer.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <variant>

using message = std::variant<int, std::string>;

static std::deque<message> queue;
static std::mutex lock;
static std::condition_variable there;

static void produce()
{
    for (int i = 0; i < 2; i++) {
        std::lock_guard<std::mutex> hold(lock);
        queue.push_back(std::string("message that is long enough to be allocated")); //~ here
        queue.push_back(i); //~ here
        there.notify_one();
    }
}

static int consume()
{
    int texts = 0;
    std::size_t most = 0;
    for (int n = 0; n < 4; n++) {
        std::unique_lock<std::mutex> hold(lock);
        there.wait(hold, [] { return !queue.empty(); }); //~ here
        texts += std::holds_alternative<std::string>(queue.front()); //~ here
        queue.pop_front(); //~ here
        most = std::max(most, queue.size()); //~ here
    }
    return texts + (most > 4);
}

int main()
{
    std::thread t(produce);
    int texts = consume();
    t.join();
    return texts != 2;
}
