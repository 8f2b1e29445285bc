// SPDX-License-Identifier: Apache-2.0
#include "document.h"

#include <cstdio>
#include <thread>

int main()
{
    Document document;
    std::atomic<int> first{0}, second{0};
    Watcher stays(first), goes(second);
    goes.watch(document);
    stays.watch(document);

    std::thread writer([&] { document.edit("abc"); });
    std::thread leaver([&] { goes.leave(document); });
    writer.join();
    leaver.join();

    int stayed = first, went = second;
    if (stayed != 3 || (went != 0 && went != 3) || document.changed.size() != 1 || document.length() != 3) {
        std::fprintf(stderr, "heard %d and %d\n", stayed, went);
        return 1;
    }
    return 0;
}
