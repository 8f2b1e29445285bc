# SPDX-License-Identifier: Apache-2.0
# A target that reads from a terminal gets what is typed, its replay needs nobody, what is typed to end it
# ends Heddle too, and the terminal is the shell's again afterwards.
cat > ask.c << 'E'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *wait(void *arg)
{
    sleep(1);
    return arg;
}
int main(void)
{
    pthread_t t;
    char line[100];
    pthread_create(&t, NULL, wait, NULL);
    printf("terminal: %d\n", isatty(0));
    fflush(stdout);
    if (fgets(line, sizeof line, stdin))
        printf("got %s", line);
    return pthread_join(t, NULL);
}
E
cat > typed.py << 'E'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", sys.argv[1]])
seen, typed = b"", sys.argv[2].encode().decode("unicode_escape").encode()
while True:
    try:
        new = os.read(fd, 1000)
    except OSError:
        break
    if not new:
        break
    seen += new
    if typed and b"terminal: 1" in seen:
        os.write(fd, typed)
        typed = b""
print(seen.decode().replace("\r\n", "\n"), end="")
print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
E
"$HEDDLE" cc -O1 -pthread ask.c -o ask
python3 typed.py '"$HEDDLE" run --timeout 20 -- ./ask && cat' 'hello\nshell\n\x04'
"$HEDDLE" replay ask.heddle/runs/last < /dev/null
python3 typed.py '"$HEDDLE" run --timeout 20 -- ./ask' '\x03'
