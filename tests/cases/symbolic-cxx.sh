# SPDX-License-Identifier: Apache-2.0
# Exceptions on the path: what is behind them is still followed, and found.
cat > till.cc <<'END'
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
struct Refused : std::runtime_error {
    int missing;
    explicit Refused(int n) : std::runtime_error("refused"), missing(n) {}
};
struct Closed : Refused {
    Closed() : Refused(0) {}
};
static std::mutex m;
static int balance = 9, missing, taken;
static void take(int n)
{
    std::unique_lock<std::mutex> g(m);
    if (balance < n)
        throw Refused(n - balance);
#ifndef OK
    g.unlock(); /* another one may take it now */
    g.lock();
#endif
    balance -= n;
    taken = taken + n;
}
static void client(int n)
{
    std::vector<int> tries;
    try {
        try {
            take(n);
        } catch (const Closed &) {
            assert(false);
        }
        tries.at(3) = 1;
    } catch (const std::logic_error &) {
        tries.push_back(n);
    } catch (const std::runtime_error &e) {
        std::lock_guard<std::mutex> g(m);
        missing += static_cast<const Refused &>(e).missing;
    }
    std::lock_guard<std::mutex> g(m);
    assert(tries.empty() || balance + taken == 9);
}
static void refund()
{
    {
        std::lock_guard<std::mutex> g(m);
        balance += 2;
#ifdef OK
        taken -= 2;
#endif
    }
#ifndef OK
    std::lock_guard<std::mutex> g(m);
    taken -= 2;
#endif
}
int main()
{
    std::thread a(client, 6), b(client, 20), c(refund);
    a.join();
    b.join();
    c.join();
    return 0;
}
END
"$HEDDLE" c++ till.cc -o till -pthread
"$HEDDLE" c++ -DOK till.cc -o till-ok -pthread
for p in till till-ok; do
    "$HEDDLE" check --no-explore -- ./$p | grep -E '^assertion|^no bug' | sed 's/-[0-9a-f]\{8\}//'
    "$BUILD/tools/bitcode" paths ./$p $p.heddle/runs/last | sed 's/: .*; /: /'
done
