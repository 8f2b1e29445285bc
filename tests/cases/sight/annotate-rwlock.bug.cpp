// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A lock of the program's own is annotated; one function writes under its shared side.
#include <atomic>
#include <thread>

extern "C" {
void AnnotateRWLockCreate(const char *, int, const volatile void *) __attribute__((weak));
void AnnotateRWLockAcquired(const char *, int, const volatile void *, long) __attribute__((weak));
void AnnotateRWLockReleased(const char *, int, const volatile void *, long) __attribute__((weak));
}

class own_lock {
public:
    own_lock()
    {
        if (AnnotateRWLockCreate)
            AnnotateRWLockCreate(__FILE__, __LINE__, this);
    }
    void lock(bool write)
    {
        for (int old = 0;; std::this_thread::yield(), old = state.load(std::memory_order_relaxed)) {
            if (write ? old != 0 : old < 0)
                continue;
            if (state.compare_exchange_weak(old, write ? -1 : old + 1, std::memory_order_relaxed))
                break;
        }
        if (AnnotateRWLockAcquired)
            AnnotateRWLockAcquired(__FILE__, __LINE__, this, write);
    }
    void unlock(bool write)
    {
        if (AnnotateRWLockReleased)
            AnnotateRWLockReleased(__FILE__, __LINE__, this, write);
        state.fetch_add(write ? 1 : -1, std::memory_order_relaxed);
    }

private:
    std::atomic<int> state{0};
};

static own_lock guard;
static int readers_seen;

static void note()
{
    const bool write = false;
    guard.lock(write);
    readers_seen++; //~ here
    guard.unlock(write);
}

int main()
{
    std::thread a(note), b(note);
    a.join();
    b.join();
    return 0;
}
