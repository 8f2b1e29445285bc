// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock
//
// Three transfers in a ring, each with its own account locked before the other one. What is
// transferred decides whether the second lock is taken, so the values of the recorded run exclude
// the deadlock: only a run can tell.
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
    std::mutex m;
    long balance = 100;
};

class Bank {
    std::vector<std::unique_ptr<Account>> accounts;

  public:
    explicit Bank(int n)
    {
        for (int i = 0; i < n; i++)
            accounts.push_back(std::make_unique<Account>());
    }

    bool transfer(int from, int to, long amount)
    {
        Account &a = *accounts[from], &b = *accounts[to];
        std::unique_lock<std::mutex> first(a.m);
        if (a.balance < amount)
            return false;
        std::unique_lock<std::mutex> second(b.m);
        a.balance -= amount;
        b.balance += amount;
        return true;
    }
};

int main()
{
    Bank bank(3);
    std::thread x([&] { bank.transfer(0, 1, 5); });
    std::thread y([&] { bank.transfer(1, 2, 7); });
    std::thread z([&] { bank.transfer(2, 0, 9); });
    x.join();
    y.join();
    z.join();
    std::puts("done");
}
