// thread_local objects are built on first use and destroyed in reverse.
//~ exit: 0
//~ stdout: thread 1: +first +second -second -first
//~ stdout: thread 2: +second +first -first -second
//~ stdout: unused: nothing, main: +first, inline 3 of 3
//~ std: c++17
#include <iostream>
#include <string>
#include <thread>

static thread_local std::string *history; // where the objects of this thread write

struct Object {
    explicit Object(const char *n) : name(n)
    {
        *history += '+' + name + ' ';
    }
    ~Object()
    {
        *history += '-' + name + ' ';
    }
    void touch() {}
    std::string name;
};

static Object &first()
{
    static thread_local Object object("first");
    return object;
}

static Object &second()
{
    static thread_local Object object("second");
    return object;
}

inline thread_local int number = 3;

static void print(const char *who, std::string text, const char *end)
{
    while (!text.empty() && text.back() == ' ')
        text.pop_back();
    std::cout << who << (text.empty() ? "nothing" : text) << end;
}

int main()
{
    static std::string one, two, none, own;
    int fresh = 0;
    std::thread([&fresh] {
        history = &one;
        first().touch();
        second().touch();
        first().touch();
        fresh += number++ == 3;
    }).join();
    std::thread([&fresh] {
        history = &two;
        second().touch();
        first().touch();
        fresh += number++ == 3;
    }).join();
    std::thread([] { history = &none; }).join();
    history = &own;
    first().touch();
    fresh += number == 3;
    print("thread 1: ", one, "\n");
    print("thread 2: ", two, "\n");
    print("unused: ", none, ", ");
    print("main: ", own, ", ");
    std::cout << "inline " << fresh << " of 3\n";
}
