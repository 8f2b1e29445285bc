# SPDX-License-Identifier: Apache-2.0
# Recipes on small programs: a section that grows to where its value is acted upon, one in the function that
# calls both places, none around a callback if there is another way; the last resorts: a join where a thread is
# created, a lock that is only tried, as the file is written (CRLF, tabs).
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
show() {
    cp "$TOP/tests/cases/repair/$1.c" .
    [ $# = 1 ] || sed -i "s/    /\t/g; s/\$/\r/" $1.c
    "$HEDDLE" cc -g -pthread $1.c -o $1
    "$HEDDLE" fix --in-place --runs 100 --explore 20 --json ${3:-} -- ./$1 >said || echo "exit $?"
    python3 - "$1" "${2:-}" <<'END'
import json, sys
said = json.load(open("said"))
of = [c for c in [said["best"]] + said["candidates"]
      if c["state"] == "proven" and sys.argv[2] in ("", c["recipe"])][0]
print(f"{sys.argv[1]}: {of['recipe']}, {of['locks']} new locks; best: {said['best']['recipe']}")
print(of["diff"].replace("\r", "^M").replace("\t", "^I "), end="")
open("diff", "w", newline="").write(of["diff"])
END
    patch --binary -s -p1 <diff
    for compiler in gcc clang-19; do $compiler -Wall -Wextra -Werror -pthread $1.c -o plain; done
}
show door
show rooms
show publish
show early
show circle 'back off' --all
grep -vc "$(printf '\r')$" circle.c || :
