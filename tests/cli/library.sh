# SPDX-License-Identifier: Apache-2.0
# A bug in a shared library of the project: the library is made again with the change, whatever
# name it is linked by, and is the one that runs.
code() { "$@" || echo "exit $?"; }
mkdir lib build
cat >lib/tally.h <<'EOF'
void tally_add(int n);
int tally_get(void);
EOF
cat >lib/tally.c <<'EOF'
#include "tally.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

void tally_add(int n)
{
    int old = tally_get();
    pthread_mutex_lock(&lock);
    sum = old + n;
    pthread_mutex_unlock(&lock);
}

int tally_get(void)
{
    pthread_mutex_lock(&lock);
    int now = sum;
    pthread_mutex_unlock(&lock);
    return now;
}
EOF
cat >main.c <<'EOF'
#include "lib/tally.h"
#include <pthread.h>

static void *work(void *arg)
{
    tally_add(1);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return tally_get() != 2;
}
EOF
sed 's/int old = tally_get();/int old;/; s/sum = old + n;/old = sum;\n    sum = old + n;/' lib/tally.c >right.c
diff -u --label a/lib/tally.c --label b/lib/tally.c lib/tally.c right.c >right.diff || :
try() { # the link's words for the library
    "$HEDDLE" cc -g -pthread main.c -o build/main "$@"
    code "$HEDDLE" verify right.diff -- build/main | head -1
}
"$HEDDLE" cc -g -fPIC -c lib/tally.c -o build/tally.o
"$HEDDLE" cc -shared -Wl,-soname,libtally.so.1 build/tally.o -o build/libtally.so.1.0
ln -s libtally.so.1.0 build/libtally.so.1
ln -s libtally.so.1 build/libtally.so
echo "== by its path"
try build/libtally.so "-Wl,-rpath,$PWD/build"
echo "== by its name"
try -Lbuild -ltally "-Wl,-rpath,$PWD/build"
echo "== found through the environment"
LD_LIBRARY_PATH=$PWD/build try -Lbuild -ltally
echo "== a patch, from another directory"
cd build
LD_LIBRARY_PATH=$PWD code "$HEDDLE" fix -- ./main >patch
sed -n '/^---/p; /^   or/p' patch | sed "s|$(dirname "$PWD")|TOP|g"
patch -s -p1 -d .. <patch
"$HEDDLE" cc -g -fPIC -c ../lib/tally.c -o tally.o
"$HEDDLE" cc -shared -Wl,-soname,libtally.so.1 tally.o -o libtally.so.1.0
LD_LIBRARY_PATH=$PWD code "$HEDDLE" run --runs 200 -- ./main | tail -n +2 | cut -d' ' -f1-2
