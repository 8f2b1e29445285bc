// SPDX-License-Identifier: Apache-2.0
#include "stages.hpp"

void source(Channel<int> &out, int count)
{
    for (int i = 1; i <= count; i++)
        out.send(i);
    out.close();
}

void summer(Channel<int> &in, long &sum)
{
    while (auto value = in.receive())
        sum += *value;
}
