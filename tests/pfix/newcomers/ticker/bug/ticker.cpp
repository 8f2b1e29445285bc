// SPDX-License-Identifier: Apache-2.0
#include "ticker.h"

void Ticker::tick(int n)
{
    worker_.post([this, n] { ticks_ += n; });
}
