# SPDX-License-Identifier: Apache-2.0
# A confirming run that goes on where the recorded one had ended reads on: the file is there, and nothing is
# asked of the recorded run.
cat >reader.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static int stop;
static void *set(void *arg)
{
    stop = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    int fd = open("data", O_RDONLY);
    pthread_create(&t, NULL, set, NULL);
    sched_yield();
    while (!stop)
        if (read(fd, &c, 1) != 1)
            return 3;
    pthread_join(t, NULL);
    return 0;
}
END
head -c 100000 /dev/zero >data
"$HEDDLE" cc -g -pthread -o reader reader.c
"$HEDDLE" check --no-explore --json -- ./reader >found.json || echo "exit code $?"
python3 -c 'import json
told = json.load(open("found.json"))
print("recorded:", told["outcome"])
for f in told["findings"]:
    if f["pattern"] == "race":
        print(f["pattern"], f["verdict"], f["harm"])'
cat reader.heddle/confirm/race-*/outcome | grep -c "recorded" || true
