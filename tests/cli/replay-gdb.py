# SPDX-License-Identifier: Apache-2.0
"""replay-gdb.py RUN COMMAND ...: gives gdb in `heddle replay RUN --gdb` the commands, one at each prompt, in a terminal of its own."""
import os
import pty
import re
import select
import sys

SILENCE = 60  # seconds after which it is stuck
heddle = os.environ["HEDDLE"]
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", NO_COLOR="1")
    os.execvp(heddle, [heddle, "replay", sys.argv[1], "--gdb"])
commands, said, seen = sys.argv[2:] + ["quit"], b"", 0
while select.select([terminal], [], [], SILENCE)[0]:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break  # it has ended
    if not more:
        break
    said += more
    if said[seen:].rstrip().endswith(b"(gdb)") and commands:
        seen = len(said)
        os.write(terminal, commands.pop(0).encode() + b"\n")
else:
    print("gdb says nothing any more")
os.waitpid(pid, 0)
text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said.decode(errors="replace")).replace("\r", "")
for line in text.splitlines():
    if re.match(r"(\(gdb\)|before event|[> ] +\d+  T|\d+\t +|there |no finding|the program|a number|say which|\d+ +breakpoint)", line):
        print(re.sub("0x[0-9a-f]+", "ADDRESS", line))
