# SPDX-License-Identifier: Apache-2.0
# A reader written from docs/format.md alone finds everything that is in a binary trace: what it
# prints makes the same bytes again.
check() {
    "$HEDDLE" trace convert "$1" --format binary -o one
    python3 "$HERE/read-binary.py" one >text
    "$HEDDLE" trace convert text --format binary -o two
    cmp one two
    wc -l <text
}
check "$TOP/examples/bank.trace"
check "$HERE/all-kinds.trace"
check "$HERE/timeline.trace"
# More than one block.
python3 - >long <<'END'
print("heddle trace 1 values")
for i in range(150000):
    thr, x = i // 100 % 3, i * 7919 % 1000
    print(f"T{thr} {'read' if i % 3 else 'write'} x+{8 * x}:8 {i * i * i} @f.c:{i % 97 + 1}")
END
check long
