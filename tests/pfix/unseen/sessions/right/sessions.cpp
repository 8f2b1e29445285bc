// SPDX-License-Identifier: Apache-2.0
#include "sessions.hpp"

std::shared_ptr<Session> SessionTable::open(const std::string &name)
{
    if (name.empty())
        return nullptr;
    std::lock_guard<std::mutex> hold(mu_);
    if (table_.count(name) == 0)
        table_[name] = std::make_shared<Session>(Session{next_++});
    auto s = table_[name];
    s->hits++;
    return s;
}

int SessionTable::made() const
{
    std::lock_guard<std::mutex> hold(mu_);
    return next_ - 1;
}
