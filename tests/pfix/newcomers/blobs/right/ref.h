// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

// What is used by several: begins with no user.
class Counted
{
  public:
    void add_user()
    {
        users_++;
    }
    bool drop_user()
    {
        return --users_ == 0;
    }

  protected:
    Counted() = default;
    ~Counted() = default;

  private:
    std::atomic<int> users_{0};
};

// One user of a T, which goes with its last one.
template <typename T> class Ref
{
  public:
    Ref() = default;
    explicit Ref(T *thing) : thing_(thing)
    {
        if (thing_)
            thing_->add_user();
    }
    Ref(const Ref &other) : Ref(other.thing_) {}
    Ref(Ref &&other) noexcept : thing_(std::exchange(other.thing_, nullptr)) {}
    Ref &operator=(Ref other)
    {
        std::swap(thing_, other.thing_);
        return *this;
    }
    ~Ref()
    {
        if (thing_ && thing_->drop_user())
            delete thing_;
    }

    T *operator->() const
    {
        return thing_;
    }
    explicit operator bool() const
    {
        return thing_ != nullptr;
    }

  private:
    T *thing_ = nullptr;
};
