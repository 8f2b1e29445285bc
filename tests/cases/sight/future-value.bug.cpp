// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A result is read before its future is waited for.
#include <future>
#include <string>
#include <vector>

struct result {
    std::vector<int> values;
    std::string text;
};

static void compute(result &r, std::promise<int> done)
{
    r.values.assign(4, 7); //~ here
    r.text = "a text of more than fifteen letters";
    done.set_value(1);
}

int main()
{
    result r;
    std::promise<int> p;
    std::future<int> f = p.get_future();
    auto task = std::async(std::launch::async, compute, std::ref(r), std::move(p));
    std::size_t n = r.values.size(); //~ here
    f.get();
    task.get();
    return n > 4;
}
