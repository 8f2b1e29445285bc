// SPDX-License-Identifier: Apache-2.0
// The first look at the instance is without its lock, and it is there before it is filled.
#include <mutex>
#include <thread>

class Registry {
public:
    static Registry *instance();
    int code = 0;

private:
    void load() { code = 16; }

    static Registry *instance_;
    static std::mutex mutex_;
};

Registry *Registry::instance_ = nullptr;
std::mutex Registry::mutex_;

Registry *Registry::instance()
{
    if (!instance_) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!instance_) {
            instance_ = new Registry;
            instance_->load();
        }
    }
    return instance_;
}

int main()
{
    int a = 0, b = 0;
    std::thread t([&] { a = Registry::instance()->code; });
    std::thread u([&] { b = Registry::instance()->code; });
    t.join();
    u.join();
    return a == 16 && b == 16 ? 0 : 1;
}
