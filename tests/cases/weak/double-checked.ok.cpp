// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Double-checked locking: who finds the object has not seen its constructor, unless it
// acquires.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct settings {
    int width, height;
    settings() : width(80), height(25) {}
};

static std::atomic<settings *> instance;
static std::mutex making;

static settings *get()
{
    settings *s = instance.load(std::memory_order_acquire);
    if (!s) {
        std::lock_guard<std::mutex> hold(making);
        s = instance.load(std::memory_order_relaxed);
        if (!s) {
            s = new settings;
            instance.store(s, std::memory_order_release);
        }
    }
    return s;
}

static void draw()
{
    const settings *s = get();
    assert(s->width * s->height == 2000);
}

int main()
{
    std::thread a(draw), b(draw);
    a.join();
    b.join();
    delete instance.load();
}
