// SPDX-License-Identifier: Apache-2.0
#include "account.hpp"

void Account::deposit(long money)
{
    std::lock_guard<std::mutex> hold(mutex_);
    amount_ += money;
}

bool Account::withdraw(long money)
{
    std::lock_guard<std::mutex> hold(mutex_);
    if (amount_ < money)
        return false;
    amount_ -= money;
    return true;
}

bool Account::transfer(Account &to, long money)
{
    if (!withdraw(money))
        return false;
    to.amount_ += money;
    return true;
}

long Account::amount()
{
    std::lock_guard<std::mutex> hold(mutex_);
    return amount_;
}
