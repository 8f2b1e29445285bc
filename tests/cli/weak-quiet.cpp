/* What orders accesses without atomics of the program: guards of local static objects, once, references
 * that are counted, locks, conditions, creation and end. Nothing is to be said of a right program. */
#include <thread>
#include <mutex>
#include <atomic>
#include <memory>
#include <cstdio>
#include <vector>
#include <string>
#include <condition_variable>
struct S { std::string s{"hello"}; int n = 4; };
static S &get() { static S s; return s; }
std::once_flag once; int init;
std::mutex m; std::condition_variable cv; bool ready;
int main() { auto p = std::make_shared<S>(); std::vector<std::thread> v;
 for (int i = 0; i < 3; i++) v.emplace_back([p, i]{ std::call_once(once, []{ init = 7; }); if (init + get().n + p->n != 15) std::puts("bad"); std::unique_lock<std::mutex> l(m); ready = true; cv.notify_all(); std::printf("%d\n", i); });
 { std::unique_lock<std::mutex> l(m); cv.wait(l, []{ return ready; }); }
 p.reset(); for (auto &t : v) t.join(); }
