// SPDX-License-Identifier: Apache-2.0
#include "sessions.hpp"
#include <cstdio>
#include <thread>

int main()
{
    SessionTable table;
    std::shared_ptr<Session> a, b;
    std::thread one([&] { a = table.open("x"); });
    std::thread two([&] { b = table.open("x"); });
    one.join();
    two.join();
    if (a != b || table.made() != 1) {
        std::fprintf(stderr, "%d sessions\n", table.made());
        return 1;
    }
    return 0;
}
