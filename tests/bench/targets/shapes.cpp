// SPDX-License-Identifier: Apache-2.0
//
// shapes: threads add shapes to a shared drawing, sum up its areas through virtual functions and
// look shapes up by name. Everything is under a lock: there is nothing to find, but nearly every
// access goes through a pointer that another thread has written.
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual int area() const = 0;
};

struct square : shape {
    int side;
    explicit square(int s) : side(s) {}
    int area() const override { return side * side; }
};

struct box : shape {
    int a, b;
    box(int x, int y) : a(x), b(y) {}
    int area() const override { return a * b; }
};

class drawing {
    mutable std::mutex lock;
    std::vector<std::shared_ptr<shape>> shapes;
    std::map<std::string, std::shared_ptr<shape>> names;

  public:
    void add(const std::string &name, std::shared_ptr<shape> s)
    {
        std::lock_guard<std::mutex> guard(lock);
        shapes.push_back(s);
        names[name] = std::move(s);
    }

    int area() const
    {
        std::lock_guard<std::mutex> guard(lock);
        int sum = 0;
        for (const auto &s : shapes)
            sum += s->area();
        return sum;
    }

    std::shared_ptr<shape> find(const std::string &name) const
    {
        std::lock_guard<std::mutex> guard(lock);
        auto it = names.find(name);
        return it == names.end() ? nullptr : it->second;
    }
};

static void draw(drawing &d, int number)
{
    for (int i = 1; i <= 3; i++) {
        std::string name = "shape" + std::to_string(number) + std::to_string(i);
        if (i % 2)
            d.add(name, std::make_shared<square>(i));
        else
            d.add(name, std::make_shared<box>(i, number));
        if (auto s = d.find(name))
            s->area();
        d.area();
    }
}

int main()
{
    drawing d;
    std::vector<std::thread> threads;
    for (int i = 1; i <= 3; i++)
        threads.emplace_back(draw, std::ref(d), i);
    for (auto &t : threads)
        t.join();
    std::printf("%d\n", d.area());
    return 0;
}
