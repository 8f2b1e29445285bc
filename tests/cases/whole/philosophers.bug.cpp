// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock
// A ring of three; each thread reads what another wrote before it asks for its second lock.
#include <mutex>
#include <thread>
#include <array>
#include <vector>
#include <cstdio>
struct Fork { std::mutex m; int uses = 0; };
class Philosopher {
    Fork &left, &right;
    int meals = 0;
public:
    Philosopher(Fork &l, Fork &r) : left(l), right(r) {}
    void dine() {
        std::unique_lock<std::mutex> a(left.m);
        left.uses++;
        std::unique_lock<std::mutex> b(right.m);
        right.uses++;
        meals++;
    }
    int eaten() const { return meals; }
};
int main()
{
    std::array<Fork, 3> forks;
    std::vector<Philosopher> table;
    for (int i = 0; i < 3; i++)
        table.emplace_back(forks[i], forks[(i + 1) % 3]);
    std::vector<std::thread> threads;
    for (auto &p : table)
        threads.emplace_back(&Philosopher::dine, &p);
    for (auto &t : threads)
        t.join();
    int sum = 0;
    for (auto &p : table)
        sum += p.eaten();
    std::printf("%d meals\n", sum);
}
