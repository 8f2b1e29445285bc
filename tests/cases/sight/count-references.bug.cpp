// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free|double-free
// References are counted by a plain number.
#include <atomic>
#include <thread>

struct buffer {
    int references{1};
    char bytes[16] = {};
};

static buffer *share(buffer *b)
{
    b->references++; //~ here
    return b;
}

static void drop(buffer *b)
{
    if (--b->references == 0) //~ here
        delete b; //~ here
}

int main()
{
    buffer *b = new buffer;
    std::thread other([mine = share(b)] {
        char c = mine->bytes[3];
        drop(mine);
        (void)c;
    });
    b->bytes[0] = 'x';
    drop(b);
    other.join();
    return 0;
}
