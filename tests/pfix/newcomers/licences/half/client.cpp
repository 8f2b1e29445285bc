// SPDX-License-Identifier: Apache-2.0
#include "client.h"

namespace {

std::mutex asking;

int work(const std::string &name, int step)
{
    int sum = step;
    for (char c : name)
        sum += c;
    return sum;
}

} // namespace

Outcome interactive(LicencePool &pool, const std::string &name)
{
    Outcome out;
    {
        Held held(asking);
        if (pool.available() <= 0) {
            out.refused++;
            return out;
        }
        pool.take(name);
    }
    if (work(name, 0) != 0)
        out.served++;
    pool.give_back(name);
    return out;
}

Outcome batch(LicencePool &pool, const std::string &name, int steps)
{
    Outcome out;
    for (int i = 0; i < steps; i++) {
        if (pool.available() > 0) {
            pool.take(name);
            if (work(name, i) != 0)
                out.served++;
            pool.give_back(name);
        } else {
            out.refused++;
        }
    }
    return out;
}
