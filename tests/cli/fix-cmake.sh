# SPDX-License-Identifier: Apache-2.0
# A build directory of CMake's names its tree from the root: what is proven is the patch that it
# compiles there, and the user's own tree and build stay as they are.
mkdir src
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(tally C)
find_package(Threads REQUIRED)
add_library(counts STATIC src/counts.c)
add_executable(tally src/main.c)
target_link_libraries(tally counts Threads::Threads)
END
cat >src/counts.h <<'END'
void counts_add(int n);
int counts_sum(void);
END
cat >src/counts.c <<'END'
#include "counts.h"

static int sum;

void counts_add(int n)
{
    int seen = sum;
    sum = seen + n;
}

int counts_sum(void)
{
    return sum;
}
END
cat >src/main.c <<'END'
#include "counts.h"

#include <assert.h>
#include <pthread.h>

static void *work(void *arg)
{
    counts_add(1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counts_sum() == 2);
    return 0;
}
END
export CC="$HEDDLE cc" CFLAGS=-g
cmake -S . -B build >cmake.log 2>&1 && cmake --build build >>cmake.log 2>&1 || cat cmake.log
find . -name '*.heddle' -prune -o -type f -print0 | sort -z | xargs -0 md5sum >before
"$HEDDLE" fix --runs 100 --build 'cmake --build build' -- build/tally >fix.out 2>&1 || echo "exit $?"
grep -Eo '^build/tally: [a-z]* patch|verify: [a-z]*' fix.out || cat fix.out
find . -name '*.heddle' -prune -o -name fix.out -prune -o -name before -prune -o -name after -prune -o -type f -print0 | sort -z | xargs -0 md5sum >after
diff <(grep -v ' ./before$' before) after && echo "the tree is as it was"
echo "== a build that makes something else"
cp build/tally build/tally.old
code=0
"$HEDDLE" fix --runs 100 --build 'cp build/tally.old build/tally' -- build/tally >fix.out 2>err || code=$?
sed 's,/[^ ]*/,,g' err
echo "exit $code"
