// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <utility>

template <typename T>
class Ref
{
public:
  explicit Ref(T value) : body_(new Body{std::move(value), {1}}) { ++made; }
  Ref(const Ref &other) : body_(other.body_) { body_->refs.fetch_add(1); }
  Ref &operator=(const Ref &) = delete;
  ~Ref() { drop(); }

  const T &get() const { return body_->value; }

  static inline std::atomic<int> made{0}, gone{0};

private:
  struct Body
  {
    T value;
    std::atomic<int> refs;
  };

  void drop()
  {
    if (body_->refs.fetch_sub(1) == 1) {
      ++gone;
      delete body_;
    }
  }

  Body *body_;
};
