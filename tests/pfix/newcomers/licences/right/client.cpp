// SPDX-License-Identifier: Apache-2.0
#include "client.h"

namespace {

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
    if (!pool.try_take(name)) {
        out.refused++;
        return out;
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
        if (pool.try_take(name)) {
            if (work(name, i) != 0)
                out.served++;
            pool.give_back(name);
        } else {
            out.refused++;
        }
    }
    return out;
}
