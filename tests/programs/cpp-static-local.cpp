// A static local is built once by many threads, and again if building it threw.
//~ exit: 0
//~ stdout: built 1, seen complete by 6
//~ stdout: attempts 3, thrown 2, value 33
//~ std: c++17
#include <atomic>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <vector>

static std::atomic<int> built{0}, attempts{0};

struct Table {
    std::vector<int> squares;
    Table()
    {
        built++;
        for (int i = 0; i < 50; i++) {
            squares.push_back(i * i);
            std::this_thread::yield(); // an invitation to come too early
        }
    }
};

static const Table &table()
{
    static const Table instance;
    return instance;
}

struct Stubborn {
    int value;
    Stubborn() : value(33)
    {
        if (++attempts < 3)
            throw std::runtime_error("not yet");
    }
};

static int stubborn()
{
    static Stubborn instance;
    return instance.value;
}

int main()
{
    std::atomic<int> complete{0}, thrown{0}, value{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++)
        threads.emplace_back([&] {
            complete += table().squares.size() == 50 && table().squares[49] == 2401;
            try {
                value = stubborn();
            } catch (const std::runtime_error &) {
                thrown++;
            }
        });
    for (auto &t : threads)
        t.join();
    std::cout << "built " << built << ", seen complete by " << complete << '\n';
    std::cout << "attempts " << attempts << ", thrown " << thrown << ", value " << value
              << '\n';
}
