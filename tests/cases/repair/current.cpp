// SPDX-License-Identifier: Apache-2.0
// A std::shared_ptr is replaced by one thread while another one copies it.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

struct Config {
    int level;
};

static std::shared_ptr<Config> current = std::make_shared<Config>(Config{1});

static void reload()
{
    auto fresh = std::make_shared<Config>(Config{2});
    current = fresh;
}

static void serve()
{
    auto config = current;
    if (config->level < 1)
        std::abort();
}

int main()
{
    std::thread a(reload), b(serve);
    a.join();
    b.join();
    return 0;
}
