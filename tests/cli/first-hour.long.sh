# SPDX-License-Identifier: Apache-2.0
# A new user's first hour, as far as it needs no network: a project of his own with CMake and ctest, its test program test
# by test, a server with a client, a fix that is applied, what a build server gets. Every step has to come out as told.
set +e
unset MAKEFLAGS MAKELEVEL
command -v cmake >/dev/null || { echo "no cmake here"; exit 77; }
mkdir bin && ln -s "$HEDDLE" bin/heddle && ln -s "$HEDDLE" bin/heddle-cc && ln -s "$HEDDLE" bin/heddle-c++
PATH=$PWD/bin:$PATH
cp "$HERE/each-test.cpp" tests.cpp
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(first C CXX)
find_package(Threads REQUIRED)
enable_testing()
add_executable(first-tests tests.cpp)
target_link_libraries(first-tests Threads::Threads)
add_executable(seats tickets.c)
target_link_libraries(seats Threads::Threads)
add_test(NAME seats COMMAND seats)
END
cp "$TOP/examples/tickets.c" .
echo "== two lines"
heddle init 2>/dev/null
sh -c "$(heddle init 2>/dev/null | head -1)" >build.log 2>&1 || { tail -5 build.log; exit 1; }
echo "== the tests of the project"
heddle check -- ctest --test-dir build-heddle >found 2>notes; echo "exit $?"
grep -E '^[a-z-]+-[0-9a-f]{8}  ' found | sed 's/-[0-9a-f]*  /  /'
echo "== one test program, test by test"
heddle check --each-test --no-explore -- build-heddle/first-tests 2>/dev/null | grep '^test' | sed 's/-[0-9a-f]\{8\}//'
echo "== a preset"
heddle init --write >/dev/null 2>&1
cmake --preset heddle >preset.log 2>&1 && cmake --build --preset heddle >>preset.log 2>&1; echo "exit $?"
echo "== what a build server gets"
heddle ci -- build-heddle/seats >ci.out 2>notes; echo "exit $?"
ls heddle-report
heddle baseline write >/dev/null; heddle ci -- build-heddle/seats >ci.out 2>notes; echo "accepted: exit $?"
echo "== a fix"
heddle-cc -g -pthread -o tickets tickets.c
heddle check -- ./tickets >found 2>notes
id=$(heddle list | head -1 | cut -d ' ' -f 1)
heddle fix --apply "$id" >fix.out 2>notes; echo "exit $?"
heddle-cc -g -pthread -o tickets tickets.c && heddle check -- ./tickets 2>/dev/null | head -1
