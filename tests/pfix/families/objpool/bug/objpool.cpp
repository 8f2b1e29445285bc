// SPDX-License-Identifier: Apache-2.0
// Buffers are used again; there are never more than a limit of them.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

template <typename T, std::size_t Limit>
class ObjectPool {
 public:
  // nullptr if all objects are in use, or the pool has been drained.
  T *acquire() {
    mutex_.lock();
    if (drained_) return nullptr;
    if (idle_.empty()) {
      if (all_.size() == Limit) return nullptr;
      all_.push_back(std::make_unique<T>());
      idle_.push_back(all_.back().get());
    }
    T *object = idle_.back();
    idle_.pop_back();
    mutex_.unlock();
    return object;
  }

  void release(T *object) {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(object);
  }

  // No new users from now on. How many objects are still in use?
  std::size_t drain() {
    std::lock_guard<std::mutex> lock(mutex_);
    drained_ = true;
    return all_.size() - idle_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T *> idle_;
  bool drained_ = false;
};

struct Buffer {
  int uses = 0;
};

using Buffers = ObjectPool<Buffer, 1>;

static void client(Buffers &buffers, int &served) {
  for (int i = 0; i < 2; i++) {
    Buffer *buffer = buffers.acquire();
    if (buffer == nullptr) continue;
    buffer->uses++;
    served++;
    buffers.release(buffer);
  }
}

int main() {
  Buffers buffers;
  int served[2] = {0, 0};

  std::thread first(client, std::ref(buffers), std::ref(served[0]));
  std::thread second(client, std::ref(buffers), std::ref(served[1]));
  buffers.drain();
  first.join();
  second.join();
  if (buffers.drain() != 0) {
    std::fprintf(stderr, "%d and %d served\n", served[0], served[1]);
    return 1;
  }
  return 0;
}
