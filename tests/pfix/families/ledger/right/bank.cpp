// SPDX-License-Identifier: Apache-2.0
#include "bank.hpp"

Bank::Bank(int each)
{
    for (auto &account : m_accounts)
        account.balance = each;
}

bool Bank::transfer(int from, int to, int amount)
{
    Account &source = m_accounts[static_cast<std::size_t>(from)];
    Account &target = m_accounts[static_cast<std::size_t>(to)];

    std::scoped_lock both(source.mutex, target.mutex);
    if (source.balance < amount)
        return false;
    source.add(-amount);
    target.add(amount);
    return true;
}

int Bank::total() const
{
    std::scoped_lock all(m_accounts[0].mutex, m_accounts[1].mutex);
    return m_accounts[0].balance + m_accounts[1].balance;
}

int Bank::balance(int account) const
{
    const Account &a = m_accounts[static_cast<std::size_t>(account)];
    std::lock_guard<std::mutex> lock(a.mutex);
    return a.balance;
}
