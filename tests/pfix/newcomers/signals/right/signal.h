// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <mutex>

// Calls who has connected, with what is emitted.
template <typename Arg> class Signal
{
  public:
    using Slot = std::function<void(const Arg &)>;

    int connect(Slot slot)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        slots_.push_back({next_id_, std::move(slot)});
        return next_id_++;
    }

    bool disconnect(int id)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = slots_.begin(); it != slots_.end(); ++it) {
            if (it->id == id) {
                slots_.erase(it);
                return true;
            }
        }
        return false;
    }

    // A slot may connect and disconnect, so it is called without the lock.
    void emit(const Arg &arg)
    {
        std::list<Entry> slots;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            slots = slots_;
        }
        for (auto &entry : slots)
            entry.slot(arg);
    }

    std::size_t size() const
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return slots_.size();
    }

  private:
    struct Entry {
        int id;
        Slot slot;
    };

    mutable std::mutex mutex_;
    std::list<Entry> slots_;
    int next_id_ = 1;
};
