# SPDX-License-Identifier: Apache-2.0
# From source to confirmed findings, in every way that the command line offers.
cp "$TOP/examples/counter.c" "$TOP/examples/transfer.c" .
code() { "$@" || echo "exit $?"; }
code "$HEDDLE" check --no-explore counter.c --
code "$HEDDLE" check --no-explore transfer.c --
code "$HEDDLE" check --no-explore --json -- transfer.heddle/transfer >findings.json
python3 - <<'END'
import json
text = open("findings.json").read()
found = json.loads(text[:text.rindex("}") + 1])
for f in found["findings"]:
    print(f["id"], f["pattern"], f["verdict"], f["harm"], len(f["steps"]), f["replay"])
    print(*(f"{t['name']} created at {t['file']}:{t['line']}" for t in f["threads"]), sep="; ")
END
# Its witness repeats it, also after edits elsewhere.
"$HEDDLE" replay transfer.heddle/witnesses/deadlock-*.witness -- transfer.heddle/transfer >/dev/null 2>&1 || echo "replay: exit $?"
sed -i 's/^struct account/\n\n&/' transfer.c
"$HEDDLE" cc -g -pthread transfer.c -o moved
"$HEDDLE" replay transfer.heddle/witnesses/deadlock-*.witness -- ./moved >/dev/null 2>&1 || echo "after an edit: exit $?"
# What is known is not shown again.
"$HEDDLE" list | cut -d ' ' -f 1 >known
code "$HEDDLE" check --no-explore --baseline known -- transfer.heddle/transfer
printf '# ours\ndeadlock:^transfer$\nrace:nobody\n' >suppressions
code "$HEDDLE" check --no-explore --suppressions suppressions -- transfer.heddle/transfer
# Mistakes.
code "$HEDDLE" check
code "$HEDDLE" check notes.txt --
code "$HEDDLE" check -- true
echo 'int main(void) { return x; }' >broken.c
code "$HEDDLE" check broken.c -- 2>/dev/null
# The flags of the environment, as make uses them.
printf '#include <math.h>\nint main(int n, char **v) { (void)v; return MORE && cbrt(n) > 9; }\n' >flags.c
CFLAGS="-DMORE=1 -O2" LDLIBS=-lm "$HEDDLE" check --no-explore flags.c -- >flags.out || cat flags.out
code "$HEDDLE" check flags.c -- 2>/dev/null
