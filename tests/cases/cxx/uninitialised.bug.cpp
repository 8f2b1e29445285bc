// SPDX-License-Identifier: Apache-2.0
//~ expect: uninitialised
// A field may be used before it is filled in.
#include <cstdio>
#include <mutex>
#include <thread>

struct job {
    int id;
    const char *name;
};
static job *work;
static std::mutex m;

static void fill()
{
    std::lock_guard<std::mutex> guard(m);
    work->name = "weave";
}

static void show()
{
    std::lock_guard<std::mutex> guard(m);
    std::printf("%c\n", *work->name);
}

int main()
{
    work = static_cast<job *>(operator new(sizeof(job)));
    std::thread a(fill), b(show);
    a.join();
    b.join();
    operator delete(work);
}
