// SPDX-License-Identifier: Apache-2.0
#include "cluster.h"

Node &Cluster::join(const std::string &name, std::size_t room)
{
    auto node = std::make_unique<Node>(name, room);
    node->on_full([this](Node &n) { report_full(n); });
    std::lock_guard<std::mutex> lock(mutex_);
    nodes_.push_back(std::move(node));
    return *nodes_.back();
}

void Cluster::report_full(Node &node)
{
    std::lock_guard<std::mutex> lock(mutex_);
    full_.push_back(node.name());
}

void Cluster::rebalance()
{
    std::lock_guard<std::mutex> lock(mutex_);
    Node *most = nullptr, *least = nullptr;
    for (auto &n : nodes_) {
        if (!most || n->load() > most->load())
            most = n.get();
        if (!least || n->load() < least->load())
            least = n.get();
    }
    if (!most || most == least || most->load() < 2)
        return;
    std::vector<int> moved = most->take_half();
    for (int key : moved)
        full_.push_back(least->name() + ":" + std::to_string(key));
}

std::size_t Cluster::full_reports() const
{
    std::lock_guard<std::mutex> lock(mutex_);
    return full_.size();
}

std::size_t Cluster::total() const
{
    std::lock_guard<std::mutex> lock(mutex_);
    std::size_t sum = 0;
    for (auto &n : nodes_)
        sum += n->load();
    return sum;
}
