// std::atomic of integers, pointers, doubles, enums and structs; atomic_flag, atomic_ref.
//~ exit: 0
//~ stdout: integer 4000, double 2000, pointer moved 4000, maximum 3999
//~ stdout: struct 4000 -4000, ref 4000, flag 1, enum 2
//~ std: c++20
#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

enum class State : unsigned char { idle, running, done };

struct Pair {
    int up, down;
};

int main()
{
    static char memory[5000];
    std::atomic<long> integer{0};
    std::atomic<double> number{0};
    std::atomic<char *> pointer{memory};
    std::atomic<int> maximum{0};
    std::atomic<Pair> pair{Pair{0, 0}};
    std::atomic<State> state{State::idle};
    std::atomic_flag flag;
    alignas(std::atomic_ref<int>::required_alignment) int plain = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            for (int k = 0; k < 1000; k++) {
                integer.fetch_add(1, std::memory_order_relaxed);
                number.fetch_add(0.5);
                pointer++;
                std::atomic_ref<int>(plain).fetch_add(1, std::memory_order_acq_rel);
                int mine = i * 1000 + k, old = maximum.load(std::memory_order_acquire);
                while (old < mine && !maximum.compare_exchange_weak(old, mine))
                    ;
                Pair now = pair.load();
                while (!pair.compare_exchange_strong(now, Pair{now.up + 1, now.down - 1}))
                    ;
            }
            State expected = State::idle;
            if (state.compare_exchange_strong(expected, State::running))
                state.store(State::done, std::memory_order_release);
            flag.test_and_set();
        });
    for (auto &t : threads)
        t.join();
    std::cout << "integer " << integer << ", double " << number << ", pointer moved "
              << pointer - memory << ", maximum " << maximum << '\n';
    std::cout << "struct " << pair.load().up << ' ' << pair.load().down << ", ref " << plain
              << ", flag " << flag.test() << ", enum " << static_cast<int>(state.load())
              << '\n';
}
