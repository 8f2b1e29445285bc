# SPDX-License-Identifier: Apache-2.0
# A signal at any stage of a long check: what was found until then is reported, marked as stopped early in
# every format; the exit code is 128 and the signal's number; nothing goes on running.
cat > long.c << 'E'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag[64];
static int n;
static void *work(void *arg)
{
    for (int i = 0; i < 20000; i++) {
        flag[i % 64]++;
        if (i % 64 == 0) {
            pthread_mutex_lock(&lock);
            n++;
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return 0;
}
E
"$HEDDLE" cc -g -O1 -pthread long.c -o long-$$

# stop SIGNAL FILE OPTION...: sends the signal once the file is there.
stop() {
    signal=$1 file=$2
    shift 2
    rm -rf long-$$.heddle
    "$HEDDLE" check --time 1000 --explore 1000000 "$@" -- ./long-$$ > out 2> err &
    pid=$! began=$SECONDS
    until ls long-$$.heddle/$file > /dev/null 2>&1 || [ $((SECONDS - began)) -ge 120 ]; do sleep 0.02; done
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    echo "$signal once there is $file: exit $code; $(cat err)"
    pgrep -x "long-$$" > /dev/null && echo "something still runs"
    return 0
}

stop INT runs/1
grep 'stopped early' out
stop INT runs/1/output
grep 'stopped early' out
stop TERM runs/1/output --json
python3 -c 'import json, sys; print(json.load(open("out"))["stopped_early"])'
stop INT confirm --sarif
python3 -c 'import json, sys; text = str(json.load(open("out"))["runs"][0]["invocations"]); print(text[:text.index("; ")])'
stop HUP 'runs/.run-*' --junit --html page.html
grep -A1 'name="stopped early' out | sed 's/ classname.*>/>/; s/>exploring.*/>/'
grep -c 'stopped_early":true' page.html
"$HEDDLE" report --dir long-$$.heddle | grep 'stopped early'
rm -rf long-$$.heddle
"$HEDDLE" run --runs 1000000 -- ./long-$$ > out 2> err &
pid=$!
until [ -e long-$$.heddle/runs/1 ]; do sleep 0.02; done
kill -INT $pid
wait $pid || echo "run: exit $?; $(cat err)"

# A run of a million events that is being looked at does not hold it up.
sed -i 's/i < 20000/i < 500000/' long.c
"$HEDDLE" cc -g -O1 -pthread long.c -o long-$$
for command in causes guards fix; do
    rm -rf long-$$.heddle
    "$HEDDLE" $command -- ./long-$$ > out 2> err &
    pid=$!
    until ls long-$$.heddle/runs/.run-*/outcome > /dev/null 2>&1; do sleep 0.02; done
    sleep 0.5
    began=$(date +%s)
    kill -INT $pid
    code=0
    wait $pid || code=$?
    [ $(($(date +%s) - began)) -le 2 ] || echo "$command: ended only after $(($(date +%s) - began)) s"
    echo "$command: exit $code; $(grep -c 'stopped early' err) line says so"
done
