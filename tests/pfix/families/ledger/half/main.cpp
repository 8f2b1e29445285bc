// SPDX-License-Identifier: Apache-2.0
// Two customers pay each other, an auditor counts.
#include "bank.hpp"

#include <cstdio>
#include <thread>

int main()
{
    Bank bank(50);
    int seen = 0;

    std::thread alice([&] { bank.transfer(0, 1, 20); });
    std::thread bob([&] { bank.transfer(1, 0, 30); });
    std::thread auditor([&] { seen = bank.total(); });
    alice.join();
    bob.join();
    auditor.join();
    if (seen != 100 || bank.balance(0) != 60 || bank.balance(1) != 40)
    {
        std::fprintf(stderr, "the auditor saw %d, accounts %d and %d\n", seen, bank.balance(0),
                     bank.balance(1));
        return 1;
    }
    return 0;
}
