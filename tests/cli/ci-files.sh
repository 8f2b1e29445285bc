# SPDX-License-Identifier: Apache-2.0
# The files of docs/ci.md: each parses and has what its server needs, all run the same commands, these run here, and every file
# that is uploaded was written.
set +e
unset MAKEFLAGS MAKELEVEL
command -v cmake >/dev/null || { echo "no cmake here"; exit 77; }
python3 -c 'import yaml' 2>/dev/null || { echo "no python3-yaml here"; exit 77; }
mkdir bin && ln -s "$HEDDLE" bin/heddle && ln -s "$HEDDLE" bin/heddle-cc && ln -s "$HEDDLE" bin/heddle-c++
PATH=$PWD/bin:$PATH
cp "$TOP/examples/tickets.c" .
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(ci C)
find_package(Threads REQUIRED)
enable_testing()
add_executable(seats tickets.c)
target_link_libraries(seats Threads::Threads)
add_test(NAME seats COMMAND seats)
END
python3 - "$TOP/docs/ci.md" <<'END'
import re
import subprocess
import sys
from pathlib import Path

import yaml

text = Path(sys.argv[1]).read_text(encoding="utf-8")
github, gitlab = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.S))
jenkins = re.search(r"```groovy\n(.*?)```", text, re.S)[1]

# GitHub: YAML reads the key `on` as true.
assert github[True] and github["jobs"], github
job = github["jobs"]["heddle"]
assert job["runs-on"] and job["permissions"] == {"security-events": "write"}, job
assert all(("uses" in step) != ("run" in step) for step in job["steps"]), job["steps"]
upload = [s for s in job["steps"] if "upload-sarif" in s.get("uses", "")][0]
assert upload["if"] == "always()", upload
written = {upload["with"]["sarif_file"]}
runs = {"GitHub": [s["run"] for s in job["steps"] if "run" in s]}

# GitLab
reports = gitlab["heddle"]["artifacts"]
assert gitlab["heddle"]["image"] and reports["when"] == "always", gitlab
assert set(reports["reports"]) == {"junit", "codequality"}, reports
written |= set(reports["paths"]) | set(reports["reports"].values())
runs["GitLab"] = gitlab["heddle"]["script"]

# Jenkins: declarative, every bracket closed outside of texts.
depth, bare = [], re.sub(r"'[^']*'", "''", jenkins)
for c in bare:
    if c in "({[":
        depth.append(c)
    elif c in ")}]":
        assert depth and depth.pop() + c in ("()", "{}", "[]"), "brackets"
assert not depth and re.match(r"pipeline \{\s*agent \{.*stages \{\s*stage\(''\) \{\s*steps \{.*post \{\s*always \{", bare, re.S), bare
written |= {name.rstrip("/*") for name in re.findall(r"'(heddle-report[^']*)'", jenkins)}
runs["Jenkins"] = re.findall(r"sh '(.*)'", jenkins)

assert runs["GitHub"] == runs["GitLab"] == runs["Jenkins"], runs
for command in runs["GitHub"]:
    if command.startswith("apt-get"):
        continue
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    print(f"{command}: exit {done.returncode}")
print("written:", *sorted(name for name in written if Path(name).exists()))
missing = sorted(name for name in written if not Path(name).exists())
if missing:
    print("missing:", *missing)
END
