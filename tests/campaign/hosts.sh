# SPDX-License-Identifier: Apache-2.0
# A program, library or input that is not what it was when the campaign was planned is refused, with the host and the file.
cat >lib.c <<'END'
int twice(int x) { return 2 * x; }
END
cat >prog.c <<'END'
#include <stdio.h>
int twice(int x);
int main(void) { int x; return scanf("%d", &x) == 1 ? twice(x) - 4 : 9; }
END
"$HEDDLE" cc -g -shared -fPIC -o libtwice.so lib.c
"$HEDDLE" cc -g -o prog prog.c -L. -ltwice -Wl,-rpath,"$PWD"
echo 2 >input
"$HEDDLE" campaign new c --policies fifo --runs 4 --inputs input --tests ./prog
attempt() { "$HEDDLE" campaign unit c 0 2>&1 | sed "s,$PWD/,,g; s,host [^:]*,host H,; s,([0-9a-f]\{16\},(X,; s,planned [0-9a-f]*),planned Y),"; }
for file in libtwice.so input prog; do
    cp $file kept
    printf x >>$file
    attempt
    mv kept $file
    chmod +x prog
done
echo "-- gone"
mv input away
attempt
mv away input
echo "-- a run says so and stops"
cp libtwice.so kept
printf x >>libtwice.so
"$HEDDLE" campaign run c 2>&1 | sed "s,$PWD/,,g; s,host [^:]*,host H,; s,([0-9a-f]\{16\},(X,; s,planned [0-9a-f]*),planned Y)," | sort -u
ls c/results/0 | wc -l
mv kept libtwice.so
"$HEDDLE" campaign run c | tail -1
echo "-- a test that cannot be run"
printf '#!/bin/sh\nexit 0\n' >script
chmod +x script
"$HEDDLE" campaign new d --policies fifo --tests ./script
"$HEDDLE" campaign run d | tail -1 | sed "s,$PWD/,,g"
