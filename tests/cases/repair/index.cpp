// SPDX-License-Identifier: Apache-2.0
// Two objects that call each other, each under its own lock.
#include <mutex>
#include <thread>

class Store;

class Index {
public:
    void note(int value)
    {
        std::lock_guard<std::mutex> guard{mutex_};
        last_ = value;
    }
    void rebuild(Store &store);

private:
    std::mutex mutex_;
    int last_ = 0;
};

class Store {
public:
    explicit Store(Index &index) : index_(index) {}
    void put(int value)
    {
        std::lock_guard<std::mutex> guard{mutex_};
        size_ += 1;
        index_.note(value);
    }
    int size()
    {
        std::lock_guard<std::mutex> guard{mutex_};
        return size_;
    }

private:
    std::mutex mutex_;
    int size_ = 0;
    Index &index_;
};

void Index::rebuild(Store &store)
{
    std::lock_guard<std::mutex> guard{mutex_};
    last_ = store.size();
}

int main()
{
    Index index;
    Store store(index);
    std::thread a([&] { store.put(7); });
    std::thread b([&] { index.rebuild(store); });
    a.join();
    b.join();
    return 0;
}
