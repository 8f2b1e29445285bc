// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// What a thread takes down at its end, in the destructor of a thread_local, before main looks.
#include <thread>

static int open_count = 2;

struct Handle {
    int id = 1;
    ~Handle()
    {
        open_count -= id;
    }
};

static thread_local Handle handle;

int main()
{
    std::thread t([] { handle.id = 1; });
    t.join();
    int left = open_count;
    return left > 2;
}
