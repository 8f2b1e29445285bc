// An assertion fails inside a worker of std::async while main waits for its future.
//~ outcome: assert
//~ stdout: checking
//~ std: c++17
#include <cassert>
#include <future>
#include <iostream>
#include <vector>

static int element(const std::vector<int> &items, std::size_t index)
{
    assert(index < items.size());
    return items[index];
}

int main()
{
    std::vector<int> items(3);
    std::cout << "checking" << std::endl;
    auto future = std::async(std::launch::async, [&items] { return element(items, 3); });
    std::cout << "unreachable " << future.get() << '\n';
}
