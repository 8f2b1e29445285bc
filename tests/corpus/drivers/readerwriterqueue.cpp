// SPDX-License-Identifier: Apache-2.0
//
// One thread writes into the two queues of readerwriterqueue, the growing one and the circular one that blocks, and
// one reads from them: all items arrive in order.
#include <readerwritercircularbuffer.h>
#include <readerwriterqueue.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

static constexpr int items = 20;

static moodycamel::BlockingReaderWriterQueue<int> growing(4);
static moodycamel::BlockingReaderWriterCircularBuffer<int> circle(4);
static moodycamel::ReaderWriterQueue<int *> plain(2);

static void write_all()
{
    for (int i = 0; i < items; i++) {
        plain.enqueue(new int(i));
        growing.enqueue(i);
        circle.wait_enqueue(i);
    }
}

static void read_all()
{
    for (int i = 0; i < items; i++) {
        int number, *pointer;
        while (!plain.try_dequeue(pointer))
            std::this_thread::yield();
        if (*pointer != i)
            std::exit(3);
        delete pointer;
        growing.wait_dequeue(number);
        if (number != i)
            std::exit(1);
        circle.wait_dequeue(number);
        if (number != i)
            std::exit(2);
    }
}

int main()
{
    std::thread writer(write_all), reader(read_all);
    writer.join();
    reader.join();
    std::puts("good");
    return 0;
}
