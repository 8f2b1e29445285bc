// SPDX-License-Identifier: Apache-2.0
#include "document.h"

void Document::edit(const std::string &text)
{
    {
        std::lock_guard<std::mutex> lock(mutex_);
        text_ += text;
    }
    changed.emit(text);
}

std::size_t Document::length() const
{
    std::lock_guard<std::mutex> lock(mutex_);
    return text_.size();
}

void Watcher::watch(Document &document)
{
    std::atomic<int> *heard = &heard_;
    id_ = document.changed.connect([heard](const std::string &text) { *heard += static_cast<int>(text.size()); });
}

void Watcher::leave(Document &document)
{
    if (id_)
        document.changed.disconnect(id_);
    id_ = 0;
}
