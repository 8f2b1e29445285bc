# SPDX-License-Identifier: Apache-2.0
# Plans, guides, targets, switches and logs that are shorter than their heads say, name what they do not have or are
# not in order: the run says that it cannot read them.
cat > prog.c << 'END'
#include <pthread.h>
#include <unistd.h>
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
    return pthread_join(t, 0) + access("nowhere", F_OK) + 1;
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
guide("guided-bad-end", path=1, depth=0)
targets("targeted-good", 1)
targets("targeted-count", 1 << 27)
targets("targeted-cut", 1, cut=1)
targets("targeted-text", 1, file=12)
targets("targeted-end", 1, end=b"!")


def log(name, kind, records):
    Path(name).write_bytes(struct.pack("<QII", 0x21474F4C4C444448, VERSION, kind) + b"".join(records))


def inputs(name, change):
    """The recorded log, its records changed."""
    data, at, out = Path("recorded/input").read_bytes(), 16, []
    while at < len(data):
        bytes_, = struct.unpack_from("<Q", data, at + 24)
        end = at + 32 + (bytes_ + 7 & ~7)
        out.append(change(data[at:at + 32], data[at + 32:at + 32 + bytes_]))
        at = end
    Path(name).write_bytes(data[:16] + b"".join(h[:24] + struct.pack("<Q", len(d)) + d + bytes(-len(d) % 8) for h, d in out))


def longer(head, data):
    """What access() kept is more than there is room for."""
    if not data.startswith(b"access\0"):
        return head, data
    length, = struct.unpack_from("<I", data, 7)
    return head, data[:7] + struct.pack("<I", length + 4096) + data[11:11 + length] + bytes(4096) + data[11 + length:]


def signal(head, data):
    """A signal that does not exist, of which nothing is said."""
    if not data.startswith(b"access\0"):
        return head, data
    return head[:16] + struct.pack("<q", 99) + head[24:], b"signal\0"


recorded = Path("recorded/schedule").read_bytes()
VERSION = struct.unpack_from("<I", recorded, 8)[0]
choice = [struct.pack("<QIHH", step, 0, 1, 0x5A5A) for step in (1, 2)]
for name, kind, records in (("nudge", 0, choice), ("shared", 0, None)):
    kind = struct.unpack_from("<I", Path(f"recorded/{'schedule' if name == 'nudge' else 'shared'}").read_bytes(), 12)[0]
    records = records or [struct.pack("<QII", 0, life, 1) for life in (1, 2)]
    log(f"{name}-good", kind, records)
    log(f"{name}-turned", kind, records[::-1])
inputs("replay-good", lambda head, data: (head, data))
inputs("replay-longer", longer)
inputs("replay-signal", signal)
END
mkdir recorded
HEDDLE_RT="dir=$PWD/recorded:sharing=1" ./prog
python3 make.py
for file in nudge-* replay-* shared-*; do
    rm -rf dir
    mkdir dir
    case $file in
    nudge-*) what=policy=nudge:schedule=$PWD/$file ;;
    shared-*) what=policy=fifo:shared=$PWD/$file ;;
    *) what=policy=replay:schedule=$PWD/recorded/schedule:input=$PWD/$file ;;
    esac
    HEDDLE_RT="dir=$PWD/dir:$what" timeout 60 ./prog || true
    echo "$file: $($HEDDLE trace dump dir/outcome | head -n 1)"
done
for file in exhaustive-* guided-* targeted-*; do
    rm -rf dir
    mkdir dir
    HEDDLE_RT="dir=$PWD/dir:policy=${file%%-*}:schedule=$PWD/$file:targets=$PWD/$file" timeout 60 ./prog || true
    echo "$file: $($HEDDLE trace dump dir/outcome | head -n 1)"
done
