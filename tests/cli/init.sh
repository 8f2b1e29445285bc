# SPDX-License-Identifier: Apache-2.0
# The two lines for each build system, and that they work where the system is here.
set +e
unset MAKEFLAGS MAKELEVEL
mkdir bin && ln -s "$HEDDLE" bin/heddle && ln -s "$HEDDLE" bin/heddle-cc && ln -s "$HEDDLE" bin/heddle-c++
PATH=$PWD/bin:$PATH
mkdir cmake meson bazel autotools early make nothing
touch cmake/CMakeLists.txt meson/meson.build bazel/MODULE.bazel autotools/configure early/configure.ac make/Makefile
touch cmake/Makefile
for d in cmake meson bazel autotools early make nothing; do
    echo "== $d"
    heddle init $d 2>&1 | sed "s|$PWD|HERE|g; s|$(dirname "$(realpath "$HEDDLE")")|BIN|g"
done
echo "== files"
(cd cmake && heddle init --write >/dev/null && heddle init --write && ls && python3 -m json.tool CMakeUserPresets.json >/dev/null && cat heddle.cmake) 2>&1
(cd meson && heddle init --write >/dev/null && cat heddle.ini) 2>&1
echo "== make, for real"
mkdir real && cd real
printf 'int n;\nint main(void) { return n; }\n' >a.c
printf 'a: a.c\n\t$(CC) -g -pthread -o $@ $<\ncheck: a\n\t./a\nclean:\n\trm -f a\n' >Makefile
sh -e -c "$(heddle init 2>/dev/null)" 2>&1 | grep -v '^looked'
echo "== meson, for real"
mkdir ../own && cd ../own
cp ../real/a.c . && printf "project('a', 'c')\ntest('a', executable('a', 'a.c'))\n" >meson.build
heddle init --write >lines 2>/dev/null
meson setup build --native-file heddle.ini >log && meson compile -C build >>log && heddle check -- build/a | head -1
heddle init --frob; echo "exit $?"
heddle init a b; echo "exit $?"
