// An exception that leaves a thread's function ends the program through std::terminate.
//~ outcome: crash 6
//~ stdout: throwing
//~ std: c++17
#include <iostream>
#include <stdexcept>
#include <thread>

static void fail()
{
    std::cout << "throwing" << std::endl;
    throw std::runtime_error("nobody catches this");
}

int main()
{
    std::thread t(fail);
    t.join();
    std::cout << "unreachable\n";
}
