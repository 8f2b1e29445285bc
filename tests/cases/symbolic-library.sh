# SPDX-License-Identifier: Apache-2.0
# The code of a shared library that was built by us is followed like the program's own.
cat > level.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int level, peak;
void raise_to(int to)
{
    pthread_mutex_lock(&m);
    level = to;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    peak = to > peak ? to : peak;
    pthread_mutex_unlock(&m);
}
void verify(void)
{
    pthread_mutex_lock(&m);
    assert(level <= peak);
    pthread_mutex_unlock(&m);
}
END
cat > main.c <<'END'
#include <pthread.h>
void raise_to(int to);
void verify(void);
static void *up(void *arg)
{
    raise_to(3);
    raise_to(5);
    return arg;
}
static void *look(void *arg)
{
    verify();
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, up, 0);
    pthread_create(&t[1], 0, look, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
END
mkdir lib
"$HEDDLE" cc -shared -fPIC level.c -o lib/liblevel.so
"$HEDDLE" cc main.c -o main -Llib -llevel -pthread -Wl,-rpath,'$ORIGIN/lib'
"$HEDDLE" check --no-explore -- ./main | grep -E '^assertion|level.c:17|^[0-9]+ finding' | head -3 | sed 's/-[0-9a-f]\{8\}//'
LD_LIBRARY_PATH=lib "$HEDDLE" run -- ./main
"$BUILD/tools/bitcode" paths ./main main.heddle/runs/last | sed 's/instructions.*; //'
# So is that of one that it loads itself, if it names it.
sed -e '/^void raise_to/d; /^void verify/d' -e 's/^int main(void)/static int start(void)/' \
    -e '1i #include <dlfcn.h>\nstatic void (*raise_to)(int);\nstatic void (*verify)(void);' main.c > plug.c
cat >> plug.c <<'END'
int main(void)
{
    void *library = dlopen("./lib/liblevel.so", RTLD_NOW);
    if (!library)
        return 1;
    *(void **)&raise_to = dlsym(library, "raise_to");
    *(void **)&verify = dlsym(library, "verify");
    return start();
}
END
"$HEDDLE" cc plug.c -o plug -pthread
"$HEDDLE" check --no-explore -- ./plug | grep -E '^assertion' | sed 's/-[0-9a-f]\{8\}//'
