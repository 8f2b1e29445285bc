// SPDX-License-Identifier: Apache-2.0
// A cache of pages: loaders put pages in, a flusher takes the oldest out.
#include <cstddef>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

class PageCache
{
public:
    explicit PageCache(std::size_t capacity) : capacity_(capacity)
    {
    }

    // Makes room if there is none.
    void put(int page)
    {
        std::lock_guard<std::mutex> hold(mutex_);
        if (pages_.size() == capacity_)
            evict();
        pages_.push_back(page);
        if (pages_.size() > most_)
            most_ = pages_.size();
    }

    // Takes the oldest page out; false if there is none.
    bool evict()
    {
        std::lock_guard<std::mutex> hold(mutex_);
        if (pages_.empty())
            return false;
        pages_.pop_front();
        evicted_++;
        return true;
    }

    std::size_t size() const
    {
        std::lock_guard<std::mutex> hold(mutex_);
        return pages_.size();
    }

    std::size_t most() const
    {
        std::lock_guard<std::mutex> hold(mutex_);
        return most_;
    }

    int evicted() const
    {
        std::lock_guard<std::mutex> hold(mutex_);
        return evicted_;
    }

private:
    mutable std::mutex mutex_;
    std::deque<int> pages_;
    std::size_t capacity_;
    std::size_t most_ = 0;
    int evicted_ = 0;
};

static const std::size_t capacity = 3;

int main()
{
    PageCache cache(capacity);

    std::thread loader([&] {
        cache.put(1);
        cache.put(2);
        cache.put(4);
    });
    std::thread other([&] {
        cache.put(3);
        cache.put(5);
        cache.put(6);
    });
    for (int i = 0; i < 3; i++)
        cache.evict();
    loader.join();
    other.join();

    if (cache.most() > capacity || cache.size() + static_cast<std::size_t>(cache.evicted()) != 6) {
        std::fprintf(stderr, "%zu pages at most, %zu left, %d evicted\n", cache.most(), cache.size(),
                     cache.evicted());
        return 1;
    }
    return 0;
}
