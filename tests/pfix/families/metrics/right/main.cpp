// SPDX-License-Identifier: Apache-2.0
// All requests take 30 ms, so that is their mean, whoever asks and when.
#include "histogram.h"

#include <cstdio>
#include <functional>
#include <thread>

static const int kMillis = 30;

static void server(Histogram &latency, int requests)
{
    for (int i = 0; i < requests; i++)
        latency.record(kMillis);
}

static void dashboard(Histogram &latency, bool &good)
{
    for (int i = 0; i < 2; i++) {
        int mean = latency.mean();
        good = good && (mean == 0 || mean == kMillis);
    }
}

int main()
{
    Histogram latency;
    bool good = true;

    std::thread first(server, std::ref(latency), 2);
    std::thread second(dashboard, std::ref(latency), std::ref(good));
    first.join();
    second.join();
    if (!good || latency.count() != 2 || latency.sum() != 2 * kMillis) {
        std::fprintf(stderr, "%d requests, %d ms\n", latency.count(), latency.sum());
        return 1;
    }
    return 0;
}
