// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free A B
// A mutex that is deleted when another thread may still lock it.
#include <mutex>
#include <thread>

struct job {
    std::mutex m;
};

int main()
{
    job *j = new job;
    std::thread t([j] {
        j->m.lock(); //~ A
        j->m.unlock();
    });
    j->m.lock();
    j->m.unlock();
    delete j; //~ B
    t.join();
}
