// SPDX-License-Identifier: Apache-2.0
#include "licence_pool.h"

#include <algorithm>

bool LicencePool::try_take(const std::string &user)
{
    Held held(mutex_);
    if (used_ >= total_)
        return false;
    used_++;
    users_[user]++;
    peak_ = std::max(peak_, used_);
    return true;
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
