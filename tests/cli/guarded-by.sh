# SPDX-License-Identifier: Apache-2.0
# A race on what is declared GUARDED_BY is told with the lock that was meant, and where it is not
# held: in C and in C++, by the attribute, by a macro of any prefix, also if the declaration is in a
# header that the command line's -I leads to.
mkdir include
cat >include/account.h <<'END'
#include <mutex>
#define MY_GUARDED_BY(lock) __attribute__((guarded_by(lock)))
class account {
  public:
    void add(int n);
    int get() const;

  private:
    mutable std::mutex mutex_;
    int balance_ MY_GUARDED_BY(mutex_) = 0;
    int *unit_ __attribute__((pt_guarded_by(mutex_))) = nullptr;
};
END
cat >account.cpp <<'END'
#include "account.h"
#include <thread>
void account::add(int n)
{
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ += n;
}
int account::get() const
{
    return balance_;
}
int main()
{
    account a;
    std::thread t([&a] { a.add(1); });
    int seen = a.get();
    t.join();
    return seen < 0;
}
END
cat >flag.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stopped __attribute__((guarded_by(m)));
static void *stop(void *arg)
{
    pthread_mutex_lock(&m);
    stopped = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, stop, NULL);
    int seen = stopped;
    pthread_join(t, NULL);
    return seen > 1;
}
END
"$HEDDLE" c++ -g -pthread -Iinclude -o account account.cpp
"$HEDDLE" cc -g -pthread -o flag flag.c
for program in account flag; do
    "$HEDDLE" check --json -- ./$program >found.json || true
    python3 -c 'import json
for f in json.load(open("found.json"))["findings"]:
    print(f["pattern"], f["verdict"], f["why"])'
done
