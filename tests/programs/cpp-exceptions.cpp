// Exceptions unwind through locks in threads, and travel to main, nested too.
//~ exit: 0
//~ stdout: caught in threads 40, lock free yes, destructors 80
//~ stdout: carried over: thread 3 failed because disk full
//~ std: c++17
#include <exception>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex m;
static int destructors, caught;

struct Guarded {
    ~Guarded()
    {
        destructors++;
    } // the lock is held
};

static void dive(int depth)
{
    if (depth > 0)
        dive(depth - 1);
    std::lock_guard lock(m);
    Guarded one, two;
    throw std::out_of_range("too deep");
}

static void fail(int id)
{
    try {
        throw std::runtime_error("disk full");
    } catch (...) {
        std::throw_with_nested(std::runtime_error("thread " + std::to_string(id) + " failed"));
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([] {
            for (int k = 0; k < 10; k++) {
                try {
                    dive(9);
                } catch (const std::exception &) {
                    std::lock_guard lock(m);
                    caught++;
                }
            }
        });
    for (auto &t : threads)
        t.join();
    std::cout << "caught in threads " << caught << ", lock free "
              << (m.try_lock() ? "yes" : "no") << ", destructors " << destructors << '\n';
    m.unlock();

    std::exception_ptr carried;
    std::thread([&carried] {
        try {
            fail(3);
        } catch (...) {
            carried = std::current_exception();
        }
    }).join();
    try {
        std::rethrow_exception(carried);
    } catch (const std::exception &outer) {
        std::cout << "carried over: " << outer.what();
        try {
            std::rethrow_if_nested(outer);
        } catch (const std::exception &inner) {
            std::cout << " because " << inner.what() << '\n';
        }
    }
}
