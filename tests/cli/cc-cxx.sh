# C++: exceptions leave the call depth right; templates, virtual calls, lambdas and static locals work.
mkdir bin && cp "$HEDDLE" bin/heddle && ln -s "$BUILD/headers" bin/
clang-19 -O2 -I"$TOP/include" -c "$HERE/cc-stub.c" && ar rc bin/libheddle-rt.a cc-stub.o
cat > prog.cc << 'END'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
struct base {
    virtual ~base() = default;
    virtual int f(int x) { return x; }
};
struct derived : base {
    int k = 3;
    int f(int x) override
    {
        if (x > 5)
            throw std::runtime_error("big");
        return x * k;
    }
};
namespace outer {
template <class T> struct queue {
    std::vector<T> items;
    void push(T item) { items.push_back(std::move(item)); }
};
}
static int inner(base *b, int i)
{
    std::string on_the_way = "destroyed while unwinding, long enough for the heap";
    return b->f(i) + (int)on_the_way.size() * 0;
}
int main()
{
    outer::queue<std::string> q;
    std::map<int, std::string> m;
    std::unique_ptr<base> b = std::make_unique<derived>();
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        try {
            sum += inner(b.get(), i);
        } catch (const std::exception &e) {
            sum += 100;
            q.push(e.what());
        }
    }
    std::sort(q.items.begin(), q.items.end(), [&](auto &x, auto &y) { return x < y; });
    static std::string once = std::to_string(sum);
    std::function<int(int)> f = [=](int x) { return x + sum; };
    m[f(1)] = once;
    for (auto &[key, text] : m)
        std::cout << key << " " << text << " " << q.items.size() << "\n";
}
END
for flags in "-std=c++17 -O0" "-std=c++20 -O2 -fPIC"; do
    bin/heddle c++ $flags prog.cc -o prog
    ./prog
done
"$HEDDLE" c++ -std=c++17 --heddle-list-sites prog.cc | cut -f 2- | grep '^prog.cc' | cut -f 2 | sort -u
