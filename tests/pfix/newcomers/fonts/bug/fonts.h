// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

struct Font {
    int size = 0;
    int weight = 0;
};

// The fonts of a file, read when the first one is asked for.
class Fonts
{
  public:
    explicit Fonts(std::string path) : path_(std::move(path)) {}

    // nullptr: the file has none with this name.
    const Font *find(const std::string &name);
    int loads() const
    {
        return loads_;
    }

  private:
    void load();

    const std::string path_;
    std::mutex mutex_;
    bool loaded_ = false;
    int loads_ = 0;
    std::map<std::string, Font> fonts_;
};
