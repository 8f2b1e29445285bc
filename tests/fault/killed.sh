# SPDX-License-Identifier: Apache-2.0
# SIGKILL at any moment: what was recorded until then is a readable trace, and a prefix of the whole.
cat >prog.c <<'E'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *arg)
{
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return printf("%d\n", n) < 0;
}
E
"$HEDDLE" cc -O1 -pthread prog.c -o prog
python3 - <<'E'
import os, re, signal, subprocess, time

HEDDLE = os.environ["HEDDLE"]
POINTS, TRIES = 20, 400
LONGER, SHORTER = 1.2, 0.9  # the machine may be busier now than when the whole run was timed


def run(delay):
    """Runs the program and kills it after so many seconds, or not; how long it ran, and how it ended."""
    p = subprocess.Popen([HEDDLE, "run", "--policy", "random", "--seed", "3", "--", "./prog"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child = ""
    while not child and p.poll() is None:
        child = open(f"/proc/{p.pid}/task/{p.pid}/children").read()
    start = time.monotonic()
    if delay is not None and child:
        time.sleep(delay)
        try:
            os.kill(int(child), signal.SIGKILL)
        except ProcessLookupError:
            pass
    out, err = p.communicate(timeout=60)
    return time.monotonic() - start, p.returncode, out, err


def heddle(*words):
    p = subprocess.run([HEDDLE, *words], capture_output=True, text=True, timeout=60)
    assert p.returncode == 0, (words, p.returncode, p.stderr)
    return p.stdout


whole = min(run(None)[0] for _ in range(3))
full = heddle("trace", "dump", "prog.heddle/runs/last/trace").splitlines()
lengths, tries, early = [], 0, 0
while len(lengths) < POINTS and tries < TRIES:
    _, code, out, err = run(whole * (tries * 0.618034 % 1))
    tries += 1
    if code == 0:  # too late
        assert out == "15000\n", (out, err)
        whole *= SHORTER
        continue
    if "before its first instruction" in err:
        early += 1
        whole *= LONGER
        assert code == 4 and err.count("\n") == 1, (code, err)
        continue
    if "nothing was recorded" in err:
        early += 1
        whole *= LONGER
        assert code == 137 and err.count("\n") == 1, (code, err)
        continue
    assert code == 128 + signal.SIGKILL, (code, err)
    directory = re.search(r"heddle: crash: signal 9 \(Killed\)\nreplay: heddle replay (\S+)\n$", err)[1]
    heddle("trace", "stat", directory + "/trace")
    part = heddle("trace", "dump", directory + "/trace").splitlines()
    if part[-1] == "cut":
        part.pop()
    assert part == full[:len(part)], directory
    lengths.append(len(part))
    subprocess.run(["rm", "-r", directory], check=True)
assert len(lengths) == POINTS, f"only {len(lengths)} of {tries} were killed in time, {early} too early"
assert len(set(lengths)) >= 5, lengths
print(f"{POINTS} readable prefixes")
E
