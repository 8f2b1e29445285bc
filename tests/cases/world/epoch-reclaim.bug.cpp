// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free|race
// The updater frees the old version at once: a reader may still be in it.
#include <atomic>
#include <thread>

struct version {
    int a, b;
};

static std::atomic<version *> current{new version{1, 1}};
static std::atomic<unsigned> inside[2];

static int sum(int me)
{
    inside[me].fetch_add(1);
    version *v = current.load();
    int n = v->a + v->b; //~ here
    inside[me].fetch_add(1);
    return n;
}

static void update(int n)
{
    version *old = current.exchange(new version{n, n});
    delete old; //~ here
}

int main()
{
    int got[2] = {0, 0};
    std::thread a([&] { got[0] = sum(0); }), b([&] { got[1] = sum(1); });
    update(2);
    update(3);
    a.join();
    b.join();
    delete current.load();
    return got[0] < 2 || got[1] < 2;
}
