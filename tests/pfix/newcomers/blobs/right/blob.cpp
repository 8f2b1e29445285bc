// SPDX-License-Identifier: Apache-2.0
#include "blob.h"

std::atomic<int> Blob::alive_{0};

Blob::Blob(std::string text) : text_(std::move(text))
{
    alive_++;
}

Blob::~Blob()
{
    alive_--;
}

unsigned Blob::checksum() const
{
    unsigned sum = 0;
    for (unsigned char c : text_)
        sum = sum * 31 + c;
    return sum;
}

int Blob::alive()
{
    return alive_;
}
