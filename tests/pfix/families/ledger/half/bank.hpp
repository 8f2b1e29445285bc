// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <mutex>

struct Account
{
    mutable std::mutex mutex;
    int balance = 0;

    void add(int amount) { balance += amount; } // with the mutex held
};

class Bank
{
public:
    static constexpr int accounts = 2;

    explicit Bank(int each);

    bool transfer(int from, int to, int amount);
    int total() const;
    int balance(int account) const;

private:
    std::array<Account, accounts> m_accounts;
};
