// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <thread>
#include <vector>

class Poller {
public:
    explicit Poller(int channels);
    ~Poller();
    int sum() const { return sum_; }
    void finish();

private:
    void run();

    std::thread thread_;
    std::vector<int> levels_;
    int sum_ = 0;
};
