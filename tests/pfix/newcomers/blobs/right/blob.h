// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref.h"

#include <atomic>
#include <cstddef>
#include <string>

class Blob : public Counted
{
  public:
    explicit Blob(std::string text);
    ~Blob();

    std::size_t size() const
    {
        return text_.size();
    }
    unsigned checksum() const;

    static int alive();

  private:
    static std::atomic<int> alive_;
    std::string text_;
};

using BlobRef = Ref<Blob>;
