# SPDX-License-Identifier: Apache-2.0
# A trace that is too long for its memory is predicted from all the same, from files beside it, and the answers are those
# that memory gives; without room for the files the trace is cut, which is said before it starts.
"$BUILD/bench/bench-predict" --make long.trace S 1e6
"$HEDDLE" predict --json long.trace >memory.json 2>memory.said
"$HEDDLE" predict --json --memory 32 long.trace >files.json 2>files.said
cmp memory.json files.json && echo the same findings
grep -o 'up to [0-9]* MB go into files in .' memory.said files.said
grep 'not looked at' files.said && echo cut
ls -A | grep -v -e '\.said' -e '\.json' -e long.trace && echo left behind
# Where it says it is, nothing can be written.
"$HEDDLE" predict --json --memory 32 /dev/fd/3 3<long.trace 2>&1 >part.json | grep -o -e 'has no room.*' -e 'not looked at.*'
