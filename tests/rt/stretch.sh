# SPDX-License-Identifier: Apache-2.0
# Recording begins late, is switched by marks and by a signal, and a window of a replay holds everything.
cat > prog.c << 'END'
#include "heddle/annotate.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static int before, between, after, counter, own[100];
static void *work(void *arg)
{
    for (int i = 0; i < 100; i++)
        own[i] = i;
    counter++;
    return arg;
}
static void touch(int *x)
{
    if (++*x > 1000)
        puts("never");
}
int main(int argc, char **argv)
{
    pthread_t t;
    touch(&before);
    if (argc > 1 && strcmp(argv[1], "marks") == 0)
        HEDDLE_PAUSE();
    if (argc > 1 && strcmp(argv[1], "signal") == 0)
        raise(SIGUSR2);
    touch(&between);
    if (argc > 1 && strcmp(argv[1], "marks") == 0)
        HEDDLE_RECORD();
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    touch(&after);
    return counter != 1;
}
END
heddle cc -O1 -pthread -I"$TOP/include" prog.c -o prog
kinds() { heddle trace dump "$1/trace" | awk '/^T/ { print $2, $3, $4 }' | grep -E "$2" | uniq -c | sed 's/^ *//; s/:.*//'; }

echo "== marks"
heddle run -- ./prog marks
heddle replay prog.heddle/runs/last
kinds prog.heddle/runs/last 'before|between|after|mark|external' | sed 's/0x[0-9a-f]*/ADDRESS/'
echo "== signal"
heddle run --signal 12 -- ./prog signal
heddle replay prog.heddle/runs/last
kinds prog.heddle/runs/last 'before|between|mark'
echo "== after"
heddle run --after 100 -- ./prog
heddle replay prog.heddle/runs/last
kinds prog.heddle/runs/last 'before|between|after|mark'
heddle run --after 1h -- ./prog
kinds prog.heddle/runs/last 'before|between|after|mark'
heddle run --after soon -- ./prog 2>&1 || echo "exit $?"
echo "== window"
heddle run --passes 2 -- ./prog
run=$PWD/prog.heddle/runs/last
mkdir window
HEDDLE_RT="dir=$PWD/window:policy=replay:schedule=$run/schedule:shared=$run/shared:window=1:windowthr=1:windowstep=50:endthr=1:endstep=60" ./prog
kinds "$run" 'own' | wc -l
kinds window 'own' | wc -l
kinds window 'enter|mark'
echo "== everything, with results and ranges in pieces"
cat > whole.c << 'END'
#include <stdlib.h>
#include <string.h>
static char from[12] = "hello world", to[12];
int main(void)
{
    memcpy(to, from, 12);
    return atoi(to) + (int)strlen(from) - 11;
}
END
heddle cc -O1 whole.c -o whole
heddle run -- ./whole
mkdir everything
HEDDLE_RT="dir=$PWD/everything:policy=replay:schedule=$PWD/whole.heddle/runs/last/schedule:window=1" ./whole
kinds everything 'from|to|result|mark'
