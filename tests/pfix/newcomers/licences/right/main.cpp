// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <cstdio>
#include <thread>

int main()
{
    LicencePool pool(1);
    Outcome ann, nightly;

    std::thread first([&] { ann = interactive(pool, "ann"); });
    std::thread second([&] { nightly = batch(pool, "nightly", 2); });
    first.join();
    second.join();

    if (ann.served + ann.refused != 1 || nightly.served + nightly.refused != 2)
        return 2;
    if (pool.peak() > pool.total()) {
        std::fprintf(stderr, "%d licences were in use, of %d\n", pool.peak(), pool.total());
        return 1;
    }
    return 0;
}
