// SPDX-License-Identifier: Apache-2.0
#include "telemetry.h"

#include <cstdio>
#include <thread>

namespace {

class Adder : public Sink {
public:
    void write(const std::vector<Sample> &samples) override
    {
        for (const Sample &s : samples) {
            sum += s.value;
            count++;
        }
    }

    int sum = 0;
    int count = 0;
};

} // namespace

int main()
{
    Adder adder;
    Telemetry telemetry(adder, 3);

    std::thread one([&] {
        telemetry.push({1, 10});
        telemetry.push({-1, 99});
    });
    std::thread many([&] { telemetry.push_all({{2, 20}, {2, 30}}); });
    std::thread timer([&] { telemetry.flush(); });
    std::thread late([&] { telemetry.push({3, 40}); });
    one.join();
    many.join();
    timer.join();
    late.join();
    telemetry.flush();

    if (adder.sum != 100 || adder.count != 4 || telemetry.dropped() != 1) {
        std::fprintf(stderr, "sum %d of %d\n", adder.sum, adder.count);
        return 1;
    }
    return 0;
}
