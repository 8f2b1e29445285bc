// SPDX-License-Identifier: Apache-2.0
#include "config_store.hpp"

ConfigStore::ConfigStore() : current_(std::make_shared<Config>()) {}

void ConfigStore::reload(int generation, int limit) {
    auto fresh = std::make_shared<Config>();
    fresh->generation = generation;
    fresh->limits["alice"] = limit;
    fresh->limits["bob"] = limit;

    std::lock_guard<std::mutex> lock(mutex_);
    current_ = fresh;
}

ConfigPtr ConfigStore::snapshot() const {
    return current_;
}

int ConfigStore::limit_for(const std::string &user) const {
    ConfigPtr config = snapshot();
    auto found = config->limits.find(user);
    return found == config->limits.end() ? 0 : found->second;
}

int ConfigStore::generation() const {
    return snapshot()->generation;
}
