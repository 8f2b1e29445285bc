# SPDX-License-Identifier: Apache-2.0
# On a terminal: no binary data on stdout, and progress on stderr while there is something to wait
# for, which is gone at the end.
unset HEDDLE_PROGRESS
python3 - "$TOP/examples/bank.trace" <<'END'
import os, pty, subprocess, sys
heddle, bank = os.environ["HEDDLE"], sys.argv[1]
try:
    os.close(pty.openpty()[0])
except OSError:
    sys.exit(77)  # a container without pseudo-terminals: skipped

def to_terminal(*words):
    leader, terminal = pty.openpty()
    p = subprocess.run([heddle, "trace", *words], stdout=terminal, stderr=subprocess.PIPE, text=True)
    os.close(terminal)
    return p.returncode, p.stderr

print(*to_terminal("convert", bank, "--format", "binary"))
print(*to_terminal("convert", bank, "--format", "text", "--zstd", "-o", "-"))
print(*to_terminal("convert", bank, "--format", "text"))

leader, terminal = pty.openpty()
p = subprocess.Popen([heddle, "trace", "dump", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                     stderr=terminal)
os.close(terminal)
seen = b""
while b" s\x1b[K" not in seen:  # waits for us to write
    seen += os.read(leader, 1000)
assert seen.startswith(b"\rreading, 1 s"), seen
out, _ = p.communicate(open(bank, "rb").read())
try:
    while True:
        rest = os.read(leader, 1000)
        if not rest:
            break
        seen += rest
except OSError:
    pass  # the other end is closed
assert seen.endswith(b"\r\x1b[K"), seen
assert p.returncode == 0 and out.startswith(b"heddle trace 1")
END
