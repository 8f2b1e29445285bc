// SPDX-License-Identifier: Apache-2.0
#include "worker.h"

Worker::Worker()
{
    thread_ = std::thread([this] { loop(); });
}

Worker::~Worker()
{
    stop();
}

bool Worker::post(Task task)
{
    std::unique_lock<std::mutex> lock(mutex_);
    if (stopping_)
        return false;
    tasks_.push_back(std::move(task));
    lock.unlock();
    wake_.notify_one();
    return true;
}

void Worker::stop()
{
    stopping_ = true;
    wake_.notify_one();
    if (thread_.joinable())
        thread_.join();
}

bool Worker::next(Task &task)
{
    std::unique_lock<std::mutex> lock(mutex_);
    while (tasks_.empty()) {
        if (stopping_)
            return false;
        wake_.wait(lock);
    }
    task = std::move(tasks_.front());
    tasks_.pop_front();
    return true;
}

void Worker::loop()
{
    Task task;
    while (next(task)) {
        task();
        task = nullptr;
    }
}
