// SPDX-License-Identifier: Apache-2.0
// Money goes both ways between two accounts, each of which has a lock of its own.
#include <mutex>
#include <thread>
#include <vector>

struct Account {
  std::mutex mu;
  long cents = 0;
};

static std::vector<Account> accounts(2);

static bool Transfer(std::size_t from, std::size_t to, long cents) {
  Account& a = accounts[from];
  Account& b = accounts[to];
  std::lock_guard<std::mutex> hold_from(a.mu);
  if (a.cents < cents) return false;
  std::lock_guard<std::mutex> hold_to(b.mu);
  a.cents -= cents;
  b.cents += cents;
  return true;
}

int main() {
  for (auto& a : accounts) a.cents = 100;
  std::thread x([] { Transfer(0, 1, 30); });
  std::thread y([] { Transfer(1, 0, 50); });
  x.join();
  y.join();
  return accounts[0].cents == 120 && accounts[1].cents == 80 ? 0 : 1;
}
