// SPDX-License-Identifier: Apache-2.0
#include "sessions.hpp"

std::shared_ptr<Session> SessionTable::open(const std::string &name)
{
    if (name.empty())
        return nullptr;
    if (!contains(name) && !contains(name))
        insert(name);
    std::lock_guard<std::mutex> hold(mu_);
    auto s = table_[name];
    s->hits++;
    return s;
}

int SessionTable::made() const
{
    std::lock_guard<std::mutex> hold(mu_);
    return next_ - 1;
}
