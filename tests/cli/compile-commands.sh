# SPDX-License-Identifier: Apache-2.0
# Sources are compiled as compile_commands.json says, which stands above them or in `build` there: as words or as a line, with a
# launcher, other directories and outputs of its own; a file without an entry as ever; a list that is none is refused.
set +e
mkdir -p tree/src tree/include tree/build tree/other
cat >tree/src/main.c <<'END'
#include "level.h"
#include <pthread.h>
int level = LEVEL, count;
static void *add(void *arg) { count += level; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    count += twice(NAME[0]);
    pthread_join(t, 0);
    return 0;
}
END
echo 'int twice(int n);' >tree/include/level.h
cat >tree/src/twice.c <<'END'
#ifdef LEVEL
#error this file is compiled without it
#endif
int twice(int n) { return 2 * n; }
END
python3 - "$PWD/tree" >tree/build/compile_commands.json <<'END'
import json
import sys
top = sys.argv[1]
print(json.dumps([
    {"directory": top + "/other", "file": "../src/main.c",
     "arguments": ["ccache", "/usr/bin/gcc", "-I../include", "-DLEVEL=3", "-DNAME=\"a b\"", "-MD", "-MF", "x/main.d", "-o",
                   "x/main.o", "-c", "../src/main.c"]},
    {"directory": top, "file": top + "/src/twice.c",
     "command": "cc '-DSAID=\"a b\"' -DESCAPED=\\\"x\\\" -Iinclude -otwice.o -c src/twice.c"}]))
END
echo "== both files are in it"
"$HEDDLE" check tree/src/main.c tree/src/twice.c -- 2>notes | grep -o '^race'; grep -v '^heddle: \(looked\|explor\)' notes
find tree -name '*.d' -o -name '*.o'
echo "== what was kept is what compiles a patch"
"$HEDDLE" fix --in-place "$("$HEDDLE" list --dir main.heddle | head -1 | cut -d ' ' -f 1)" 2>notes | head -1 | sed 's/race-[0-9a-f]*/race/'
echo "== one that is in none"
printf 'int main(void) { return 0; }\n' >alone.c
"$HEDDLE" check alone.c -- 2>/dev/null
echo "== none"
echo '{' >tree/build/compile_commands.json
"$HEDDLE" check tree/src/main.c -- 2>said; echo "exit $?"
sed "s|$PWD|HERE|" said
echo "== what heddle init says of it"
"$HEDDLE" init tree 2>&1; echo "exit $?"
