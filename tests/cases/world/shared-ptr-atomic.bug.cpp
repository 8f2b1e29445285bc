// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A weak_ptr is asked while the shared_ptr behind it is changed by another thread.
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
    std::thread t([&seen, &watched] { //~ here
        if (auto s = watched.lock()) //~ here
            seen = s->data.size();
    });
    watched.reset(); //~ here
    owner.reset();
    t.join();
    return seen != 0 && seen != 3;
}
