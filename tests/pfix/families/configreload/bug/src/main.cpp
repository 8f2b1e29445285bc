// SPDX-License-Identifier: Apache-2.0
#include "config_store.hpp"

#include <cstdio>
#include <thread>

int main() {
    ConfigStore store;
    store.reload(1, 10);

    int limits[4] = {0, 0, 0, 0};
    std::thread worker([&] {
        for (int i = 0; i < 4; i++)
            limits[i] = store.limit_for(i % 2 ? "alice" : "bob");
    });
    store.reload(2, 20);
    store.reload(3, 30);
    worker.join();

    for (int i = 0; i < 4; i++) {
        if (limits[i] < (i ? limits[i - 1] : 10) || limits[i] > 30) {
            std::fprintf(stderr, "limit %d in generation %d\n", limits[i], store.generation());
            return 1;
        }
    }
    return 0;
}
