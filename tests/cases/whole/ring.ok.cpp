// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
//
// Three transfers in a ring; both locks are taken at once, in an order that cannot be a ring.
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
        std::scoped_lock both(a.m, b.m);
        if (a.balance < amount)
            return false;
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
