// SPDX-License-Identifier: Apache-2.0
#include "node.h"

#include <algorithm>

bool Node::add(int key)
{
    bool is_full;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (std::find(keys_.begin(), keys_.end(), key) != keys_.end())
            return false;
        keys_.push_back(key);
        is_full = keys_.size() >= room_;
    }
    if (is_full && on_full_)
        on_full_(*this);
    return true;
}

void Node::shrink(std::size_t room)
{
    bool is_full;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        room_ = room;
        is_full = keys_.size() >= room_;
    }
    if (is_full && on_full_)
        on_full_(*this);
}

std::size_t Node::load() const
{
    std::lock_guard<std::mutex> lock(mutex_);
    return keys_.size();
}

std::vector<int> Node::take_half()
{
    std::lock_guard<std::mutex> lock(mutex_);
    auto half = keys_.begin() + static_cast<std::ptrdiff_t>(keys_.size() / 2);
    std::vector<int> taken(half, keys_.end());
    keys_.erase(half, keys_.end());
    return taken;
}
