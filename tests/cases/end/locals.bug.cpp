// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// What a thread takes down at its end, in the destructor of a thread_local, beside main.
#include <thread>

static int open_count = 2;

struct Handle {
    int id = 1;
    ~Handle()
    {
        open_count -= id; //~ A
    }
};

static thread_local Handle handle;

int main()
{
    std::thread t([] { handle.id = 1; });
    int left = open_count; //~ B
    t.join();
    return left > 2;
}
