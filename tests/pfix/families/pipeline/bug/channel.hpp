// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <queue>

template <class T> class Channel
{
  public:
    void send(T value)
    {
        std::unique_lock lock(mutex_);
        queue_.push(std::move(value));
        cond_.notify_one();
    }

    /// Nothing, once it is closed and empty.
    std::optional<T> receive()
    {
        std::unique_lock lock(mutex_);
        cond_.wait(lock, [this] { return closed_ || !queue_.empty(); });
        if (queue_.empty())
            return std::nullopt;
        T value = std::move(queue_.front());
        queue_.pop();
        return value;
    }

    void close()
    {
        std::unique_lock lock(mutex_);
        closed_ = true;
        cond_.notify_one();
    }

  private:
    std::mutex mutex_;
    std::condition_variable cond_;
    std::queue<T> queue_;
    bool closed_ = false;
};
