# SPDX-License-Identifier: Apache-2.0
"""Insufficient and over-synchronised variants of a program whose synchronisation is right.

Works on the text: the sources are formatted, so a statement is a line and what is indented below it.
A section is a lock call, the unlock calls that belong to it, and the statements in between. Operators:

  drop            one section is none any more
  shorten-start   it begins one statement later        shorten-end   it ends one statement earlier
  other-lock      it holds a lock that nobody else holds
  split           it is left and entered again between two statements
  if-wait         a wait is tried once instead of until its condition holds
  signal-before, signal-after   the signal is sent before or after the section
  reversed        a new lock is taken around one section and inside another one of the same lock"""
import re
from collections import namedtuple

LOCK = re.compile(r"( *)(pthread_mutex_lock|pthread_rwlock_wrlock|pthread_rwlock_rdlock)\((.*)\);$")
UNLOCK = re.compile(r"( *)(pthread_mutex_unlock|pthread_rwlock_unlock)\((.*)\);$")
GUARD = re.compile(r"( *)std::(lock_guard|scoped_lock|unique_lock)(<[^>]*>)? (\w+)\((\w+)\);$")
SIGNAL = re.compile(r" *pthread_cond_(signal|broadcast)\(.*\);$")
CONTROL = re.compile(r" *(for|while|if) \(.*[^{;]$|.*\belse$")
NEW_LOCK = {"c": "static pthread_mutex_t mutant_lock = PTHREAD_MUTEX_INITIALIZER;",
            "cpp": "static std::mutex mutant_lock;"}

# begin: line of the lock call; ends: lines of its unlock calls; end: the one at the same depth, or
# None; parts: first and last line of each statement in between
Section = namedtuple("Section", "begin ends end lock parts is_loop")
Mutant = namedtuple("Mutant", "operator line text")


def depth(line):
    return len(line) - len(line.lstrip(" "))


def functions(lines):
    start = None
    for i, line in enumerate(lines):
        if line == "{":
            start = i
        elif line == "}" and start is not None:
            yield start, i
            start = None


def statements(lines, first, last, indent):
    """First and last lines of the statements between two lines, at one depth."""
    parts = []
    for i in range(first, last):
        if not lines[i].strip():
            continue
        starts = depth(lines[i]) == indent and not re.match(r" *([{}]|else\b)", lines[i])
        if starts or not parts:
            parts.append([i, i])
        parts[-1][1] = i
    return [tuple(p) for p in parts]


def sections(lines):
    found = []
    for start, stop in functions(lines):
        for i in range(start, stop):
            m = LOCK.match(lines[i])
            if not m:
                continue
            ends = []
            for k in range(i + 1, stop):
                again, left = LOCK.match(lines[k]), UNLOCK.match(lines[k])
                if again and again[3] == m[3]:
                    break
                if left and left[3] == m[3]:
                    ends.append(k)
            indent = len(m[1])
            at_depth = [k for k in ends if depth(lines[k]) == indent]
            is_loop = CONTROL.match(lines[i - 1]) is not None
            end = at_depth[-1] if at_depth and not is_loop else None
            parts = statements(lines, i + 1, end, indent) if end else []
            if end and any(depth(x) < indent for x in lines[i:end] if x.strip()):
                end, parts = None, []
            found.append(Section(i, ends, end, m[3], parts, is_loop))
    return found


def with_lock(lines, language):
    """A new lock, declared behind the last #include."""
    last = max(i for i, line in enumerate(lines) if line.startswith("#include"))
    return lines[: last + 1] + ["", NEW_LOCK[language]] + lines[last + 1 :]


def moved(lines, line, to):
    """The line, before the line that now is `to`."""
    rest = lines[:line] + lines[line + 1 :]
    at = to - (line < to)
    return rest[:at] + [lines[line]] + rest[at:]


def replaced(lines, changes):
    return [changes.get(i, line) for i, line in enumerate(lines)]


def waits_in(lines, s):
    return [i for i in range(s.begin, (s.end or max(s.ends, default=s.begin)) + 1) if "cond_wait" in lines[i]]


def nothing(line):
    return " " * depth(line) + "(void)0;"


def drops(lines, s):
    if s.ends and not waits_in(lines, s):
        yield "drop", s.begin, replaced(lines, {i: nothing(lines[i]) for i in [s.begin] + s.ends})


def shortened(lines, s):
    if s.end is None or len(s.parts) < 2 or len(s.ends) != 1:
        return
    first, last = s.parts[0], s.parts[-1]
    if not any("cond_wait" in x for x in lines[first[0] : first[1] + 1]):
        yield "shorten-start", first[0], moved(lines, s.begin, first[1] + 1)
    body = lines[last[0] : last[1] + 1]
    if not any(re.search(r"cond_wait|\b(return|break|continue|goto)\b", x) for x in body):
        yield "shorten-end", last[0], moved(lines, s.end, last[0])


def other_lock(lines, s, language):
    if s.is_loop or not s.ends or "rwlock" in lines[s.begin]:
        return
    changes = {i: lines[i].replace(s.lock, "&mutant_lock") for i in [s.begin] + s.ends}
    for i in waits_in(lines, s):
        changes[i] = lines[i].replace(", " + s.lock, ", &mutant_lock")
    yield "other-lock", s.begin, with_lock(replaced(lines, changes), language)


def split(lines, s):
    if s.end is None:
        return
    for before, after in zip(s.parts, s.parts[1:]):
        text = lines[: after[0]] + [lines[s.end], lines[s.begin]] + lines[after[0] :]
        yield "split", after[0], text


def waited_once(lines):
    for i, line in enumerate(lines):
        m = re.match(r"( *)while (\(.*\) ?\{?)$", line)
        if m and "cond_wait" in lines[i + 1]:
            yield "if-wait", i, replaced(lines, {i: f"{m[1]}if {m[2]}"})


def signalled_outside(lines, s):
    for i in range(s.begin + 1, s.end or s.begin):
        if SIGNAL.match(lines[i]) and depth(lines[i]) == depth(lines[s.begin]):
            yield "signal-before", i, moved(lines, i, s.begin)
            yield "signal-after", i, moved(lines, i, s.end + 1)


def around(s, lines, outside):
    indent = " " * depth(lines[s.begin])
    take, leave = f"{indent}pthread_mutex_lock(&mutant_lock);", f"{indent}pthread_mutex_unlock(&mutant_lock);"
    if outside:
        return {s.begin: [take, lines[s.begin]], s.end: [lines[s.end], leave]}
    return {s.begin: [lines[s.begin], take], s.end: [leave, lines[s.end]]}


def reversed_pairs(lines, found):
    """Neighbours among the sections of one lock, in both roles."""
    whole = [s for s in found if s.end is not None and len(s.ends) == 1]
    for a, b in zip(whole, whole[1:]):
        if re.findall(r"\w+", a.lock)[-1] != re.findall(r"\w+", b.lock)[-1]:
            continue
        for outer, inner in (a, b), (b, a):
            changes = around(outer, lines, True) | around(inner, lines, False)
            text = []
            for i, line in enumerate(lines):
                text += changes.get(i, [line])
            yield "reversed", inner.begin, with_lock(text, "c")


def guards(lines):
    """Sections of C++: an object at whose end the lock is released."""
    for i, line in enumerate(lines):
        m = GUARD.match(line)
        if not m:
            continue
        yield "drop", i, replaced(lines, {i: nothing(line)})
        yield "other-lock", i, with_lock(replaced(lines, {i: line.replace(f"({m[5]})", "(mutant_lock)")}), "cpp")
        block_end = next(k for k in range(i, len(lines)) if lines[k].strip() and depth(lines[k]) < depth(line))
        parts = statements(lines, i + 1, block_end, depth(line))
        if len(parts) > 1:
            yield "shorten-start", parts[0][0], moved(lines, i, parts[0][1] + 1)


def mutants(text, language="c"):
    """All mutants of a program, in the order of their lines; the line is the original's."""
    lines = text.splitlines()
    found = sections(lines)
    made = list(guards(lines)) + list(waited_once(lines)) + list(reversed_pairs(lines, found))
    for s in found:
        made += drops(lines, s)
        made += shortened(lines, s)
        made += other_lock(lines, s, language)
        made += split(lines, s)
        made += signalled_outside(lines, s)
    return [Mutant(operator, line + 1, "\n".join(new) + "\n") for operator, line, new in made]


def without_locks(text):
    """The program as it might have been before somebody synchronised it: no section at all."""
    lines = text.splitlines()
    for s in sections(lines):
        for _, _, lines in drops(lines, s):
            pass
    lines = [nothing(line) if GUARD.match(line) else line for line in lines]
    return "\n".join(lines) + "\n"
