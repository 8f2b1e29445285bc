# SPDX-License-Identifier: Apache-2.0
#
# weak: random small programs with atomics, and what they may print by the axioms of RC11 (Lahav
# and others, PLDI 2017), found by trying every reads-from and every modification order. Says
# nothing of how the runtime does it.
#
#   weak.py make SEED COUNT       one C program with all of them: ./all N runs program N
#   weak.py judge SEED COUNT DIR  DIR/N.out: a line for each output seen of program N
import itertools
import random
import re
import sys

ORDER = {"rlx": "relaxed", "acq": "acquire", "rel": "release", "ar": "acq_rel", "sc": "seq_cst"}


def program(seed):
    """Threads of (operation, location, value, order)."""
    r = random.Random(seed)
    threads, value = [], 0
    for t in range(r.choice((2, 2, 3))):
        ops = []
        for _ in range(2 if t == 2 else r.choice((2, 3))):
            value += 1
            op = r.choice(("st", "st", "st", "ld", "ld", "ld", "add", "fence"))
            order = {"st": ("rlx", "rlx", "rlx", "rel", "sc"), "ld": ("rlx", "rlx", "rlx", "acq", "sc"),
                     "add": ("rlx", "acq", "rel", "ar", "sc"), "fence": ("acq", "rel", "sc", "sc")}[op]
            ops.append((op, r.choice("xy"), value, r.choice(order)))
        threads.append(ops)
    return threads


# ---- in C ------------------------------------------------------------------------------------
def statement(n, t, i, op):
    kind, loc, value, order = op
    order = "memory_order_" + ORDER[order]
    return {"st": f"atomic_store_explicit(&{loc}, {value}, {order});",
            "ld": f"out[{t}][{i}] = atomic_load_explicit(&{loc}, {order});",
            "add": f"out[{t}][{i}] = atomic_fetch_add_explicit(&{loc}, {value * 100}, {order});",
            "fence": f"atomic_thread_fence({order});"}[kind]


def c_text(programs):
    text = ["#include <pthread.h>", "#include <stdatomic.h>", "#include <stdio.h>", "#include <stdlib.h>",
            "static atomic_int x, y;", "static int out[3][3], number;", "static pthread_t threads[3];"]
    for t in range(3):
        text += [f"static void *thread{t}(void *arg)", "{", "switch (number) {"]
        for n, threads in enumerate(programs):
            if t < len(threads):
                text += [f"case {n}:"] + [statement(n, t, i, op) for i, op in enumerate(threads[t])] + ["break;"]
        text += ["}", "return arg;", "}"]
    text += ["int main(int argc, char **argv)", "{", "static void *(*const start[3])(void *) = {thread0, thread1, thread2};",
             "int count = argc > 2 ? atoi(argv[2]) : 0;", "number = atoi(argv[1]);",
             "for (int t = 0; t < count; t++) pthread_create(&threads[t], NULL, start[t], NULL);",
             "for (int t = 0; t < count; t++) pthread_join(threads[t], NULL);",
             "for (int t = 0; t < 3; t++) for (int i = 0; i < 3; i++) printf(\"%d \", out[t][i]);",
             'printf("%d %d\\n", atomic_load(&x), atomic_load(&y));', "return 0;", "}", ""]
    return "\n".join(text)


# ---- the axioms ------------------------------------------------------------------------------
def closure(pairs):
    after = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)
    out = set()
    for a in list(after):
        todo, seen = list(after[a]), set()
        while todo:
            b = todo.pop()
            if b not in seen:
                seen.add(b)
                todo += after.get(b, ())
        out |= {(a, b) for b in seen}
    return out


def join(r, s):
    after = {}
    for a, b in s:
        after.setdefault(a, []).append(b)
    return {(a, c) for a, b in r for c in after.get(b, ())}


def acyclic(r):
    return all(a != b for a, b in closure(r))


class Events:
    def __init__(self, threads):
        self.kind, self.loc, self.order, self.value, self.thread = ["st", "st"], ["x", "y"], ["na", "na"], [0, 0], [-1, -1]
        self.place, self.sb = [None, None], set()
        for t, ops in enumerate(threads):
            mine = []
            for i, (kind, loc, value, order) in enumerate(ops):
                e = len(self.kind)
                self.sb |= {(b, e) for b in mine} | {(0, e), (1, e)}
                mine.append(e)
                for column, item in zip((self.kind, self.loc, self.order, self.value, self.thread, self.place),
                                        (kind, None if kind == "fence" else loc, order, value, t, (t, i))):
                    column.append(item)
        self.all = range(len(self.kind))
        self.writes = [e for e in self.all if self.kind[e] in ("st", "add")]
        self.reads = [e for e in self.all if self.kind[e] in ("ld", "add")]

    def is_acquire(self, e):
        return self.order[e] in ("acq", "ar", "sc") and self.kind[e] != "st"

    def is_release(self, e):
        return self.order[e] in ("rel", "ar", "sc") and self.kind[e] != "ld"


def happens_before(x, rf):
    """sb and what synchronises: release sequences are read-modify-writes that follow each other (C++20)."""
    source = {r: w for w, r in rf}
    sw = set()
    for w, r in rf:
        heads = [w]
        while x.kind[heads[-1]] == "add":
            heads.append(source[heads[-1]])
        ends = [r] if x.is_acquire(r) else []
        ends += [f for f in x.all if x.kind[f] == "fence" and x.is_acquire(f) and (r, f) in x.sb]
        for h in heads:
            begins = [h] if x.is_release(h) else []
            begins += [f for f in x.all if x.kind[f] == "fence" and x.is_release(f) and (f, h) in x.sb]
            sw |= {(a, b) for a in begins for b in ends if x.thread[a] != x.thread[b]}
    return closure(x.sb | sw)


def psc(x, hb, mo, rb, eco):
    same = lambda a, b: x.loc[a] is not None and x.loc[a] == x.loc[b]
    far = {(a, b) for a, b in x.sb if not same(a, b)}
    scb = x.sb | join(join(far, hb), far) | {(a, b) for a, b in hb if same(a, b)} | mo | rb
    sc = {(e, e) for e in x.all if x.order[e] == "sc" and x.kind[e] != "fence"}
    fence = {(e, e) for e in x.all if x.order[e] == "sc" and x.kind[e] == "fence"}
    left = sc | fence | join(fence, hb)
    right = sc | fence | join(hb, fence)
    fences = join(join(fence, hb | join(join(hb, eco), hb)), fence)
    return join(join(left, scb), right) | fences


def values(x, rf):
    """What each write writes; None if values come out of thin air."""
    source, out = {r: w for w, r in rf}, {}
    for _ in x.all:
        for w in x.writes:
            if x.kind[w] == "st":
                out[w] = x.value[w]
            elif source[w] in out:
                out[w] = out[source[w]] + 100 * x.value[w]
    return out if len(out) == len(x.writes) else None


def executions(threads):
    """(outcome, is there an interleaving) of every consistent execution."""
    x = Events(threads)
    at = {loc: [w for w in x.writes if x.loc[w] == loc] for loc in "xy"}
    for sources in itertools.product(*[[w for w in at[x.loc[r]] if w != r] for r in x.reads]):
        rf = set(zip(sources, x.reads))
        if not acyclic(x.sb | rf):
            continue
        hb, written = happens_before(x, rf), values(x, rf)
        if any(a == b for a, b in hb):
            continue
        for orders in itertools.product(*[itertools.permutations(at[loc][1:]) for loc in "xy"]):
            lines = [[at[loc][0], *order] for loc, order in zip("xy", orders)]
            place = {w: i for line in lines for i, w in enumerate(line)}
            mo = {(a, b) for line in lines for a, b in itertools.combinations(line, 2)}
            if any(x.kind[r] == "add" and place[r] != place[w] + 1 for w, r in rf):
                continue
            rb = {(r, b) for w, r in rf for a, b in mo if a == w and b != r}
            eco = closure(rf | mo | rb)
            if any(a == b for a, b in eco) or any(a == b for a, b in join(hb, eco)):
                continue
            if not acyclic(psc(x, hb, mo, rb, eco)):
                continue
            out = [0] * 9
            for w, r in rf:
                t, i = x.place[r]
                out[3 * t + i] = written[w]
            final = [written[line[-1]] for line in lines]
            yield " ".join(map(str, out + final)), acyclic(x.sb | rf | mo | rb)


def judge(seed, count, directory):
    outside = missing = weak = seen = 0
    for n in range(count):
        allowed = set(executions(program(seed * 1000 + n)))
        may = {o for o, _ in allowed}
        plain = {o for o, is_plain in allowed if is_plain}
        got = {line.strip() for line in open(f"{directory}/{n}.out")} - {""}
        for o in sorted(got - may):
            print(f"program {n}: not allowed: {o}")
        outside += len(got - may)
        missing += len(plain - got)
        weak += len(may - plain)
        seen += len((may - plain) & got)
    print(f"{count} programs: {outside} outcomes outside, {missing} interleavings missing, "
          f"weak ones {seen} of {weak}", file=sys.stderr)
    return outside, missing, weak, seen


def main():
    what, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if what == "make":
        print(c_text([program(seed * 1000 + n) for n in range(count)]))
    elif what == "threads":
        print(len(program(seed * 1000 + count)))
    else:
        outside, missing, weak, seen = judge(seed, count, sys.argv[4])
        part = float(sys.argv[5])
        bad = outside or missing or weak < 10 or seen < part * weak
        print("wrong" if bad else "right")


if __name__ == "__main__":
    main()
