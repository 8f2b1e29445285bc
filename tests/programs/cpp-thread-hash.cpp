// What hangs on addresses of the first thread's stack and on hashes of thread ids: a map by id
// is gone through in its own order, waits stand in their places, before main and in it, and the
// mutexes of shared_ptr and osyncstream are chosen by address.
//~ exit: 0
//~ stdout: waited before main: yes
//~ stdout: 6 ids, ended 3, again 3, sum 21
//~ stdout: shared 1 1, said
//~ std: c++20
#include <algorithm>
#include <atomic>
#include <iostream>
#include <latch>
#include <memory>
#include <mutex>
#include <syncstream>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {
struct early {
    bool waited = false;
    early()
    {
        std::latch opened(1); // on the stack of the first thread, main not having begun
        std::thread opener([&] { opened.count_down(); });
        opened.wait();
        waited = opened.try_wait();
        opener.join();
    }
} before;

struct alignas(128) tally {
    std::atomic<int> count{0};
};
} // namespace

int main()
{
    std::cout << "waited before main: " << (before.waited ? "yes" : "no") << '\n';
    std::unordered_map<std::thread::id, int> by_id;
    std::mutex m;
    tally done;
    std::vector<std::thread> threads;
    for (int i = 1; i <= 6; i++)
        threads.emplace_back([&, i] {
            {
                std::lock_guard lock(m);
                by_id[std::this_thread::get_id()] = i;
            }
            done.count++;
            done.count.notify_all();
            for (int seen; (seen = done.count) < 6;)
                done.count.wait(seen);
        });
    for (int seen; (seen = done.count) < 6;)
        done.count.wait(seen);
    int sum = 0;
    for (auto &[id, number] : by_id) // in the order of hashes
        sum += number;
    size_t ids = by_id.size();
    std::vector<std::thread::id> old;
    for (int i = 0; i < 3; i++) {
        old.push_back(threads[i].get_id());
        threads[i].join();
    }
    // Ids may come again: equal ids are found whoever has them.
    for (int i = 0; i < 3; i++)
        threads[i] = std::thread([&] {
            std::lock_guard lock(m);
            by_id.try_emplace(std::this_thread::get_id(), 0);
        });
    auto found = std::count_if(old.begin(), old.end(), [&](auto id) {
        std::lock_guard lock(m);
        return by_id.count(id) == 1;
    });
    for (auto &t : threads)
        t.join();
    std::cout << ids << " ids, ended " << old.size() << ", again " << found << ", sum " << sum
              << '\n';
    std::shared_ptr<int> one, two;
    auto publish = [&] {
        std::atomic_store(&one, std::make_shared<int>(1));
        std::atomic_store(&two, std::atomic_load(&one));
    };
    std::thread first(publish), second(publish);
    first.join();
    second.join();
    std::osyncstream(std::cout) << "shared " << *one << ' ' << *two << ", said\n";
}
