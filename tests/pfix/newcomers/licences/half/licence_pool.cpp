// SPDX-License-Identifier: Apache-2.0
#include "licence_pool.h"

#include <algorithm>

int LicencePool::available() const
{
    Held held(mutex_);
    return total_ - used_;
}

void LicencePool::take(const std::string &user)
{
    Held held(mutex_);
    used_++;
    users_[user]++;
    peak_ = std::max(peak_, used_);
}

void LicencePool::give_back(const std::string &user)
{
    Held held(mutex_);
    auto it = users_.find(user);
    if (it == users_.end())
        return;
    if (--it->second == 0)
        users_.erase(it);
    used_--;
}

int LicencePool::peak() const
{
    Held held(mutex_);
    return peak_;
}
