# SPDX-License-Identifier: Apache-2.0
"""corpus.py DIR STEP - does heddle predict agree with the ground truth?

Every STEP-th trace of the corpus, all of the composed ones, the counterexamples and the exact
real traces. Prints counts; what disagrees is printed in full."""
import os
import subprocess
import sys
from collections import Counter

HEDDLE = os.environ["HEDDLE"]
MODES = ("classic", "paper", "sound", "sync")
counts = Counter()


def predict(path, mode, *words):
    done = subprocess.run([HEDDLE, "predict", "--std", path, "--mode", mode, *words],
                          capture_output=True, text=True)
    if done.returncode or done.stderr:
        print(path, mode, done.returncode, done.stderr)
    return done.stdout.splitlines()


def decide(path, threads, queries):
    """queries: [(line, {mode: truth})]"""
    with open("queries", "w") as out:
        out.writelines(line + "\n" for line, _ in queries)
    for mode in MODES:
        answers = predict(path, mode, "--query", "queries")
        for (line, truth), answer in zip(queries, answers, strict=True):
            counts["queries"] += 1
            said = answer[-1]
            if answer[:-2] != line or (said != truth[mode] and
                                       (threads == 2 or said != "?" or truth[mode] == "1")):
                print(f"{path} {mode}: {answer}, truth {truth[mode]}")
                counts["wrong"] += 1


def truth_file(path):
    traces = []
    for line in open(path):
        parts = line.rstrip("\n").split(" : ")
        if line.startswith("trace "):
            words = line.split()
            threads = next(int(w[8:]) for w in words if w.startswith("threads="))
            traces.append((words[1], threads, []))
        elif len(parts) > 1 and not line.startswith("#"):
            truth = dict(zip(MODES, parts[1].split()))
            traces[-1][2].append((parts[0], truth))
    return traces


def index_file(path):
    for line in open(path):
        if line.startswith("#"):
            continue
        name, kind, events, truth = line.split("\t")[:4]
        events = events.split(",")
        query = {"race": "race " + " ".join(events),
                 "deadlock": f"dl {len(events)} " + " ".join(events),
                 "order": f"ord {len(events)} " + " ".join(events) + " " + "0" * (len(events) - 1)}
        yield name, query[kind], dict(word.split("=") for word in truth.split())


def exact_file(path):
    traces = {}
    for line in open(path):
        if line.startswith("trace "):
            current = traces.setdefault(line.split()[1], [])
        elif not line.startswith("#"):
            current.append(line.strip())
    return traces


def main(top, step):
    public = f"{top}/corpus/public"
    for name, threads, queries in truth_file(f"{public}/truth.txt")[::step]:
        decide(f"{public}/{name}", threads, queries)
    print("corpus:", counts["queries"], "queries,", counts["wrong"], "wrong")
    counts.clear()
    for name, threads, queries in truth_file(f"{public}/truth_composed.txt"):
        decide(f"{public}/{name}", threads, queries)
    print("composed:", counts["queries"], "queries,", counts["wrong"], "wrong")
    counts.clear()
    for name, query, truth in index_file(f"{top}/cex/INDEX.txt"):
        decide(f"{top}/cex/{name}.std", 2, [(query, truth)])
    print("counterexamples:", counts["queries"], "queries,", counts["wrong"], "wrong")
    exact = exact_file(f"{top}/traces/exact.txt")
    for name, want in exact.items():
        found = predict(f"{top}/traces/{name}", "classic", "--list")
        found = sorted(line for line in found if not line.startswith("av "))
        if found != sorted(want):
            print(name, set(want) ^ set(found))
    print("real traces:", len(exact))


main(sys.argv[1], int(sys.argv[2]))
