// SPDX-License-Identifier: Apache-2.0
// An account, and a transfer from one to another.
#pragma once

#include <mutex>

class Account {
  public:
    explicit Account(long amount) : amount_(amount) {}
    void deposit(long money);
    bool withdraw(long money);
    bool transfer(Account &to, long money);
    long amount();

  private:
    std::mutex mutex_;
    long amount_;
};
