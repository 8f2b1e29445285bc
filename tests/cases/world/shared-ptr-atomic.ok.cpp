// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A weak_ptr of each thread's own is asked while the last shared_ptr goes.
#include <memory>
#include <thread>
#include <vector>

struct session {
    std::vector<int> data{1, 2, 3};
};

int main()
{
    auto owner = std::make_shared<session>();
    std::weak_ptr<session> watched = owner;
    std::size_t seen = 0;
    std::thread t([&seen, watched] {
        if (auto s = watched.lock()) //~ here
            seen = s->data.size();
    });
    owner.reset();
    t.join();
    return seen != 0 && seen != 3;
}
