# SPDX-License-Identifier: Apache-2.0
# A signal ends the prediction from a long trace within a second of the processor, wherever it is.
"$BUILD/bench/bench-predict" --make long.trace S 2e7
python3 - "$HEDDLE" <<'P'
import os, signal, subprocess, sys, time
TICKS = os.sysconf("SC_CLK_TCK")
def used(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
for tenths in [1, 4, 8, 12, 17, 22, 28, 34, 41, 48, 56, 65, 75]:
    p = subprocess.Popen([sys.argv[1], "predict", "--jobs", "1", "long.trace"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while p.poll() is None and used(p.pid) < tenths / 10:
        time.sleep(0.005)
    if p.poll() is not None:
        break
    before = used(p.pid)
    p.send_signal(signal.SIGTERM)
    _, status, usage = os.wait4(p.pid, 0)
    late = usage.ru_utime + usage.ru_stime - before
    if late > 1 or os.waitstatus_to_exitcode(status) != 143:
        print(f"after {tenths / 10} s: {late:.1f} s more, {os.waitstatus_to_exitcode(status)}")
print("ended")
P
