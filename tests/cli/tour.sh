# SPDX-License-Identifier: Apache-2.0
# docs/tour.md, from top to bottom: every command is run, and what the page shows is what it prints. Figures
# may differ, places in the source may not; "..." stands for lines that were left out.
cp "$TOP/examples/tickets.c" .
mkdir bin
ln -s "$HEDDLE" bin/heddle
PATH=$PWD/bin:$PATH python3 - "$TOP/docs/tour.md" <<'END'
import re, subprocess, sys
page = open(sys.argv[1]).read().splitlines()


def plain(line):
    """Without figures, but for lines of the source and ids."""
    return " ".join(re.sub(r"(?<![\w:.-])\d+(\.\d+)?(?![\w-])", "#", line).split())


def blocks():
    """The page's own lines of code, in rows: a command and what it prints, or a listing."""
    block = []
    for line in page + [""]:
        if line.startswith("    $ ") or (line and not line.startswith("    ")):
            if block:
                yield block
            block = []
        if line.startswith("    ") or (block and not line):
            block.append(line[4:])


def is_shown(shown, printed):
    """Do the lines come in this order, with nothing between them but where dots stand?"""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(is_shown(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and is_shown(shown[1:], printed[1:])


count = 0
for block in blocks():
    if not block[0].startswith("$ "):  # a part of the source, with line numbers
        source = open("tickets.c").read().splitlines()
        for line in filter(None, block):
            if source[int(line[:2]) - 1] != line[4:]:
                print("not in tickets.c:", line)
        continue
    run = subprocess.run(block[0][2:], shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = [[x for x in map(plain, text) if x] for text in (block[1:], run.stdout.splitlines())]
    count += 1
    if not is_shown(*lines):
        print(block[0], "prints something else:", run.stdout, sep="\n")
assert count >= 13, count
END
