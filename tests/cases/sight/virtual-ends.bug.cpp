// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A base class joins its thread: the derived part is gone when the thread calls into it.
#include <atomic>
#include <thread>

class service {
public:
    virtual ~service()
    {
        if (worker.joinable())
            worker.join(); //~ here
    }
    void start()
    {
        worker = std::thread([this] { step(); }); //~ here
    }

protected:
    virtual void step() {}
    void stop() { worker.join(); }

private:
    std::thread worker;
};

class counter : public service {
public:
    explicit counter(std::atomic<int> &n) : steps(n) {}
    ~counter() override
    {
    } //~ here

protected:
    void step() override { steps++; }

private:
    std::atomic<int> &steps;
};

int main()
{
    std::atomic<int> steps{0};
    {
        counter c(steps);
        c.start();
    }
    return steps > 1;
}
