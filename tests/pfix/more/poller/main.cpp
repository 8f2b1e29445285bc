// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
//~ with: poller.cpp
// The thread is started before what it reads has been made ready.
#include "poller.hpp"

#include <iostream>

int main()
{
    Poller poller(3);
    poller.finish();
    std::cout << poller.sum() << "\n";
    return poller.sum() == 6 ? 0 : 1;
}
