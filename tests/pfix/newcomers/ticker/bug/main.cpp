// SPDX-License-Identifier: Apache-2.0
#include "ticker.h"

#include <cstdio>

int main()
{
    Ticker ticker;
    ticker.tick(2);
    ticker.tick(3);
    ticker.stop();
    if (ticker.ticks() != 5) {
        std::fprintf(stderr, "%d ticks\n", ticker.ticks());
        return 1;
    }
    return 0;
}
