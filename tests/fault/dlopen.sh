# An instrumented library that comes, goes and comes back at run time: seen, named, replayed.
cat > plug.c << 'END'
#include <pthread.h>
int in_plug;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int work(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        in_plug++;
        pthread_mutex_unlock(&lock);
    }
    return in_plug;
}
END
cat > prog.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int (*work)(int);
static void *run(void *arg)
{
    work(20);
    return arg;
}
int main(int argc, char **argv)
{
    for (int round = 0; round < 2; round++) {
        void *plug = dlopen(argv[1], RTLD_NOW);
        if (!plug)
            return puts(dlerror());
        work = (int (*)(int))dlsym(plug, "work");
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], 0, run, 0);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], 0);
        printf("%d\n", work(0));
        dlclose(plug);
    }
    return 0;
}
END
"$HEDDLE" cc -O1 -shared -fPIC plug.c -o plug.so
"$HEDDLE" cc -O1 -pthread prog.c -o prog
for policy in fifo random; do
    for path in ./plug.so "$PWD/plug.so"; do
        timeout 60 "$HEDDLE" run --policy $policy -- ./prog "$path"
        timeout 60 "$HEDDLE" replay prog.heddle/runs/last > again && tail -1 again
        "$HEDDLE" trace dump prog.heddle/runs/last/trace | grep -c ' write in_plug[~ ]'
    done
done
