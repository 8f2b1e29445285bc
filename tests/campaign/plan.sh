# SPDX-License-Identifier: Apache-2.0
# What a campaign is planned from, and what is not taken.
command -v cmake >/dev/null || { echo "there is no CMake"; exit 77; }
"$HEDDLE" cc -g -o bank "$TOP/examples/bank.c" -pthread
echo 1 >one
echo 2 >two
printf '# two tests\n\n./bank 3\n./bank '"'with a blank'"' "and\\"a quote"\n' >list
show() { sed "s,$PWD,HERE,g; /^file/d" "$1/plan"; "$HEDDLE" campaign units "$1"; }
"$HEDDLE" campaign new a --tests-from list --inputs one --inputs two --policies fifo
show a
echo "-- behind --"
"$HEDDLE" campaign new b --runs 7 --time 9 --timeout 5 --policies rr,pct:4 -- ./bank --runs x
show b
echo "-- ctest and meson"
mkdir ctest meson
cat >ctest/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(p NONE)
enable_testing()
add_test(NAME first COMMAND ${CMAKE_SOURCE_DIR}/../bank 3 "a b")
set_tests_properties(first PROPERTIES ENVIRONMENT "A=1;B=two words" WORKING_DIRECTORY /)
END
cat >meson/meson.build <<'END'
project('p')
test('first', find_program('../bank'), args: ['4'], env: {'M': 'yes'})
END
cmake -S ctest -B ctest/build >said 2>&1 || { cat said; exit 1; }
meson setup meson/build meson >said 2>&1 || { cat said; exit 1; }
"$HEDDLE" campaign new c --policies fifo --tests ctest:ctest/build --tests meson:meson/build
show c
echo "-- what makes no sense"
refused() { "$HEDDLE" campaign "$@" 2>&1 | grep -v '^usage\|^  *heddle' | sed "s,$PWD,HERE,g" || true; }
refused
refused newe x
refused new
refused new x --tests ./missing
refused new x --policies targeted -- ./bank
refused new x --policies none -- ./bank
refused new x
refused new a -- ./bank
refused new x --tests "./bank 'open"
refused new x --tests ctest:missing | head -c 60
echo
refused run missing
refused unit a
refused unit a 99
refused unit a 0 1
refused report a -- x
refused units a --runs 3
echo "-- damaged"
cp -r a broken
sed -i '$d' broken/plan
refused units broken
cp -r a broken2
sed -i 's/^test/tset/' broken2/plan
refused units broken2
