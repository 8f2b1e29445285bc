// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

struct Session {
    int id;
    int hits = 0;
};

class SessionTable {
  public:
    bool contains(const std::string &name) const
    {
        std::lock_guard<std::mutex> hold(mu_);
        return table_.count(name) != 0;
    }
    void insert(const std::string &name)
    {
        std::lock_guard<std::mutex> hold(mu_);
        table_[name] = std::make_shared<Session>(Session{next_++});
    }
    std::shared_ptr<Session> open(const std::string &name);
    int made() const;

  private:
    mutable std::mutex mu_;
    std::map<std::string, std::shared_ptr<Session>> table_;
    int next_ = 1;
};
