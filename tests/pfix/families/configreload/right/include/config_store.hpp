// SPDX-License-Identifier: Apache-2.0
#ifndef CONFIG_STORE_HPP
#define CONFIG_STORE_HPP

#include <map>
#include <memory>
#include <mutex>
#include <string>

/** What an operator may change while we run. */
struct Config {
    int generation = 0;
    std::map<std::string, int> limits;

    ~Config() { limits.clear(); }
};

using ConfigPtr = std::shared_ptr<const Config>;

class ConfigStore {
public:
    ConfigStore();

    /** Makes a new config with this limit for all users. */
    void reload(int generation, int limit);

    /** The limit of one user, 0 for strangers. */
    int limit_for(const std::string &user) const;

    int generation() const;

private:
    ConfigPtr snapshot() const;

    mutable std::mutex mutex_;
    ConfigPtr current_;
};

#endif
