// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

// Holds a mutex as long as it lives.
class Held
{
  public:
    explicit Held(std::mutex &mutex) : mutex_(mutex)
    {
        mutex_.lock();
    }
    ~Held()
    {
        mutex_.unlock();
    }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;

  private:
    std::mutex &mutex_;
};

// How many users may work at the same time.
class LicencePool
{
  public:
    explicit LicencePool(int total) : total_(total) {}

    int available() const;
    void take(const std::string &user);
    void give_back(const std::string &user);

    int peak() const;
    int total() const
    {
        return total_;
    }

  private:
    mutable std::mutex mutex_;
    const int total_;
    int used_ = 0;
    int peak_ = 0;
    std::map<std::string, int> users_;
};
