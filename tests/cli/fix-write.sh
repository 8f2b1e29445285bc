# SPDX-License-Identifier: Apache-2.0
# What --apply, --force and --interactive write and refuse to; what is said when the source is not
# what the program was made of; every patch with --all; SARIF as an editor applies it.
code() { "$@" || echo "exit $?"; }
quick="--runs 40 --explore 20"
fix() { "$HEDDLE" fix $quick "$@" 2>&1 >said | sed "s,$PWD/,,g"; }
build() { "$HEDDLE" cc -g -pthread tickets.c -o tickets; }
restore() { chmod u+w tickets.c; cp "$TOP/examples/tickets.c" .; build; }
set +e
cp "$TOP/examples/tickets.c" .
build

echo "== the best of all is no last resort, and no test that is moved out of the way"
code "$HEDDLE" fix $quick --all -- ./tickets >said
grep -E '^\./tickets|^  (gate|join):|behind the join|pairs instead' said

echo "== a file that may not be written; forced, it keeps its mode"
chmod 440 tickets.c
fix --apply -- ./tickets
ls tickets.c.orig 2>&1 | grep -c 'No such'
fix --apply --force -- ./tickets
stat -c %a tickets.c
cmp tickets.c.orig "$TOP/examples/tickets.c"

echo "== what is kept stays; git has all of the file, and then not"
restore
git init -q . && git add tickets.c && git -c user.name=a -c user.email=a@b commit -qm a
fix --apply -- ./tickets
fix --apply -- ./tickets
rm -rf .git tickets.c.orig*

echo "== a person chooses"
restore
for answer in x 'd 2' 99 0; do echo "$answer"; done | code "$HEDDLE" fix $quick --rounds 2 --interactive -- ./tickets >said 2>asked
sed 's/)? /)?\n/g' asked
sed -n '/^  1  /,$p' said
code "$HEDDLE" fix $quick --rounds 1 --interactive -- ./tickets </dev/null 2>&1 | tail -2 | sed 's/)? /)?\n/g'
echo 1 | "$HEDDLE" fix $quick --rounds 1 --interactive -- ./tickets 2>&1 >said | sed "s,$PWD/,,g; s/)? /)?\n/g"
cmp tickets.c.orig "$TOP/examples/tickets.c"

echo "== SARIF, as an editor applies it, is the diff"
restore
"$HEDDLE" fix $quick --sarif -- ./tickets >said
cp tickets.c other.c
patch -s -p1 other.c <tickets.heddle/patches/failure.diff
python3 "$TOP/tests/tools/sarif-apply.py" said
cmp tickets.c other.c

echo "== the source is newer, or gone"
restore
touch tickets.c
fix -- ./tickets
rm tickets.c
code "$HEDDLE" fix -- ./tickets 2>&1 | sed "s,$PWD/,,g"
