// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: account.cpp
// Mended by hand: money goes to an account under the lock of that account.
#include "account.hpp"

#include <cstdio>
#include <thread>

namespace {
Account first(100), second(100);

void send(Account &from, Account &to)
{
    for (int i = 0; i < 3; i++)
        from.transfer(to, 10);
}
}

int main()
{
    std::thread a(send, std::ref(first), std::ref(second));
    std::thread b(send, std::ref(second), std::ref(first));
    a.join();
    b.join();
    std::printf("%ld\n", first.amount() + second.amount());
    return first.amount() + second.amount() == 200 ? 0 : 1;
}
