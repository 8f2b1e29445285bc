// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

// A thread of its own for tasks, one after the other.
class Worker
{
  public:
    using Task = std::function<void()>;

    Worker();
    virtual ~Worker();

    bool post(Task task);
    void stop();

  protected:
    // Called on the thread behind its last task.
    virtual void finished() {}

  private:
    void loop();
    bool next(Task &task);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Task> tasks_;
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};
