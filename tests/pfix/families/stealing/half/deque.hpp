// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <thread>

class SpinLock {
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
  friend class SpinGuard;

  void acquire() {
    while (flag_.test_and_set(std::memory_order_acquire))
      std::this_thread::yield();
  }
  void release() { flag_.clear(std::memory_order_release); }
};

class SpinGuard {
  SpinLock &lock_;

public:
  explicit SpinGuard(SpinLock &lock) : lock_(lock) { lock_.acquire(); }
  ~SpinGuard() { lock_.release(); }
  SpinGuard(const SpinGuard &) = delete;
  SpinGuard &operator=(const SpinGuard &) = delete;
};

// The owner works at the back, thieves at the front.
template <typename T> class WorkDeque {
  mutable SpinLock lock_;
  std::deque<T> tasks_;

public:
  void push(T task) {
    SpinGuard guard(lock_);
    tasks_.push_back(task);
  }

  bool empty() const {
    SpinGuard guard(lock_);
    return tasks_.empty();
  }

  T pop() {
    SpinGuard guard(lock_);
    if (tasks_.empty())
      throw std::logic_error("pop of an empty deque");
    T task = tasks_.back();
    tasks_.pop_back();
    return task;
  }

  T steal() {
    SpinGuard guard(lock_);
    if (tasks_.empty())
      throw std::logic_error("steal from an empty deque");
    T task = tasks_.front();
    tasks_.pop_front();
    return task;
  }
};
