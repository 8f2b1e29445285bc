# SPDX-License-Identifier: Apache-2.0
# Plans, guides and targets that are shorter than their heads say, or name what they do not have:
# the run says that it cannot read them.
cat > prog.c << 'END'
#include <pthread.h>
static int x;
static void *work(void *arg)
{
    x++;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    x++;
    return pthread_join(t, 0);
}
END
$HEDDLE cc -g -O1 prog.c -o prog
cat > make.py << 'END'
import struct
from pathlib import Path


def plan(name, picks, sleeps, ids):
    Path(name).write_bytes(struct.pack("<QII", 0x2153544E494F5048, picks, sleeps) + struct.pack(f"<{len(ids)}I", *ids))


def guide(out, cut=0, counts=None, **bad):
    """One line: the first write of prog.c's main."""
    texts = b"prog.c\0main\0x\0"
    value = {"counter": 0, "path": 0, "depth": 1, "file": 0, "name": 12, "first": 0, "thr": 0, "site": 0,
             "next": 0xFFFFFFFF, **bad}
    tables = struct.pack("<QII", 1, value["counter"], 0) + struct.pack("<II", value["path"], value["depth"])
    tables += struct.pack("<8I", value["file"], 7, value["name"], 12, 6, 1, value["first"], 0)
    tables += struct.pack("<4I", value["thr"], 1, value["site"], value["next"]) + struct.pack("<I", 0) + texts
    head = struct.pack("<Q9I4x", 0x2145444955474448, *(counts or (1, 1, 1, 1, 1, len(texts))), 1, 0, 0)
    data = head + tables
    Path(out).write_bytes(data[:len(data) - cut])


def targets(name, count, cut=0, file=0, end=b"\0"):
    texts = b"prog.c\0work" + end
    site = struct.pack("<8I", file, 7, 0, 5, 0, 0, 0, 0)
    data = struct.pack("<Q9I4x", 0x2145444955474448, 0, 0, count, 0, 0, len(texts), 0, 0, 0) + site + texts
    Path(name).write_bytes(data[:len(data) - cut])


plan("exhaustive-good", 1, 1, [0, 1])
plan("exhaustive-empty", 0, 0, [])
plan("exhaustive-picks", 100000000, 0, [0])
plan("exhaustive-sleeps", 1, 0xFFFFFFFF, [0, 1])
plan("exhaustive-wrap", 0xFFFFFFFF, 2, [0])
Path("exhaustive-short").write_bytes(Path("exhaustive-good").read_bytes()[:12])
guide("guided-good")
guide("guided-cut", cut=1)
guide("guided-short", cut=90)
guide("guided-lines", counts=(1 << 28, 1, 1, 1, 1, 14))
guide("guided-counters", counts=(1, 1, 1, 0xFFFFFFFF, 1, 14))
for name, value in dict(counter=1, path=1, depth=2, file=14, name=99, first=1, thr=1, site=1, next=0).items():
    guide(f"guided-bad-{name}", **{name: value})
targets("targeted-good", 1)
targets("targeted-count", 1 << 27)
targets("targeted-cut", 1, cut=1)
targets("targeted-text", 1, file=12)
targets("targeted-end", 1, end=b"!")
END
python3 make.py
for file in exhaustive-* guided-* targeted-*; do
    rm -rf dir
    mkdir dir
    HEDDLE_RT="dir=$PWD/dir:policy=${file%%-*}:schedule=$PWD/$file:targets=$PWD/$file" timeout 60 ./prog || true
    echo "$file: $($HEDDLE trace dump dir/outcome | head -n 1)"
done
