// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//
// A value of 16 bytes, of which only the first 4 were ever set, is given back in registers and stored as a whole, as
// libraries for formatted text do with arguments. What is in the other bytes is nobody's business, and not the replay's.
#include <cstdio>
#include <mutex>
#include <thread>

struct text {
    const char *at;
    unsigned long size;
};

template <class Size> struct value {
    union {
        int number;
        text string;
    };
    __attribute__((always_inline)) value(int i) : number(i) {}
};

struct store {
    value<int> values[1];
};

static std::mutex lock;
static int sum;

template <class Size> inline value<Size> make_value(int i)
{
    return {i};
}

template <class Size> __attribute__((always_inline)) inline value<Size> make(int i)
{
    return make_value<Size>(i);
}

static inline store make_store(int i)
{
    return store{{make<int>(i)}};
}

__attribute__((noinline)) static void add(const store &s)
{
    std::lock_guard<std::mutex> hold(lock);
    sum += s.values[0].number;
}

static void work()
{
    for (int i = 0; i < 3; i++) {
        store s = make_store(i);
        add(s);
    }
}

int main()
{
    std::thread other(work);
    work();
    other.join();
    std::printf("%d\n", sum);
    return sum != 6;
}
