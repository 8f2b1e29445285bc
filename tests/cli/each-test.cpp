// SPDX-License-Identifier: Apache-2.0
// Three tests; it lists and filters them as GoogleTest does, or as Catch2 does if CATCH is defined.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
static int hits, misses;
static std::mutex lock;
static void count()
{
    hits++;
}
static void count_locked()
{
    std::lock_guard<std::mutex> held(lock);
    misses++;
}
static void twice(void (*what)())
{
    std::thread a(what), b(what);
    a.join();
    b.join();
}
static const struct {
    const char *name;
    void (*what)();
} tests[] = {
#ifdef CATCH
    {"it counts, and races", count},
    {"it counts", count_locked},
#else
    {"Count.Races", count},
    {"Count.Locked", count_locked},
    {"More/0.Races", count},
#endif
};
int main(int argc, char **argv)
{
    const char *filter = NULL;
    for (int i = 1; i < argc; i++) {
#ifdef CATCH
        if (!strcmp(argv[i], "--help"))
            return puts("Catch v2.13.10"), 0;
        if (!strcmp(argv[i], "--list-test-names-only"))
            return puts("it counts, and races\nit counts"), 2;
        if (!strncmp(argv[i], "--", 2))
            return fprintf(stderr, "Unrecognised token: %s\n", argv[i]), 255;
        filter = argv[i];
#else
        if (!strcmp(argv[i], "--gtest_list_tests"))
            return puts("Count.\n  Races\n  Locked\n  DISABLED_Not\n"
                        "More/0.  # TypeParam = int\n  Races  # GetParam() = 1"), 0;
        if (!strncmp(argv[i], "--gtest_filter=", 15))
            filter = argv[i] + 15;
#endif
    }
    for (auto &t : tests) {
        char name[100] = "";
        for (const char *c = t.name; *c; c++)
            snprintf(name + strlen(name), 3, *c == ',' ? "\\%c" : "%c", *c);
        if (!filter || !strcmp(filter, name))
            twice(t.what);
    }
}
