// SPDX-License-Identifier: Apache-2.0
// The lowest and the highest of what was measured.
#pragma once

class Sensor {
  public:
    explicit Sensor(const char *name) : name_(name) {}
    void report(int value);
    int range() const;
    int reports() const;
    const char *name() const { return name_; }

  private:
    const char *name_;
    int low_ = 1000;
    int high_ = -1000;
    int reports_ = 0;
};
