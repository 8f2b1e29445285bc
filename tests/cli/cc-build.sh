# Build systems: CMake and a configure script with probes on standard input find the same things
# as with clang, and what they build runs.
command -v cmake > /dev/null || exit 77
mkdir bin && cp "$HEDDLE" bin/heddle && ln -s "$BUILD/headers" bin/ && PATH="$PWD/bin:$PATH"
clang-19 -O2 -I"$TOP/include" -c "$HERE/cc-stub.c" && ar rc bin/libheddle-rt.a cc-stub.o
cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.16)
project(sample C CXX)
include(CheckFunctionExists)
include(CheckCCompilerFlag)
include(CheckSymbolExists)
find_package(Threads REQUIRED)
check_function_exists(strlcpy HAVE_STRLCPY)
check_function_exists(pthread_create HAVE_PTHREAD)
check_symbol_exists(O_CLOEXEC fcntl.h HAVE_CLOEXEC)
check_c_compiler_flag(-Wno-such-warning HAVE_NO_SUCH)
check_c_compiler_flag(-Wall HAVE_WALL)
message(STATUS "threads: ${CMAKE_USE_PTHREADS_INIT} '${CMAKE_THREAD_LIBS_INIT}'")
message(STATUS "id: ${CMAKE_C_COMPILER_ID} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_SIZEOF_VOID_P}")
add_library(part STATIC part.c)
add_library(shared SHARED shared.cc)
add_executable(prog main.c)
target_link_libraries(prog part shared Threads::Threads)
END
echo 'int part(void) { return 1; }' > part.c
echo '#include <string>
extern "C" int shared() { return (int)std::string("ab").size(); }' > shared.cc
echo 'int part(void), shared(void); int main(void) { return part() + shared() - 3; }' > main.c
CC=clang-19 CXX=clang++-19 cmake -B plain > plain.log
CC="heddle cc" CXX="heddle c++" cmake -B ours > ours.log
probes() { sed -n '/^-- Looking\|^-- Performing\|^-- threads\|^-- id/p' "$1"; }
probes plain.log > plain.found
probes ours.log > ours.found
diff plain.found ours.found
cmake --build ours > build.log 2>&1 || cat build.log
ours/prog && echo "CMake: built and run"
cat > configure << 'END'
probe() { if $CC $2 -x c - -o probe > /dev/null 2>&1; then echo "$1 yes"; else echo "$1 no"; fi; }
echo '#include <pthread.h>
int main(void) { return pthread_create(0, 0, 0, 0); }' | probe threads -pthread
echo 'int main(void) { return no_such(); }' | probe "no such function" ""
echo 'int main(void) { return 0; }' | probe "unknown option" -fno-such-option
echo '#include <no-such.h>' | probe "no such header" -E
echo 'int x[sizeof(long) == 8 ? 1 : -1];' | probe "long has 8 bytes" -c
echo '__SIZEOF_POINTER__' | $CC -E -P -x c -
$CC -dM -E -x c /dev/null | grep -c .
END
CC=clang-19 sh configure > plain.conf
CC="heddle cc" sh configure > ours.conf
diff plain.conf ours.conf
head -5 ours.conf
printf 'prog: main.o part.o shared.o\n\t$(CXX) $^ -o $@\n' > Makefile
make -s -j4 CC="heddle cc" CXX="heddle c++" prog && ./prog && echo "make: built and run"
