# SPDX-License-Identifier: Apache-2.0
"""The packages: how each is built by its own build system, and what is then run. Scripts run by `sh -eu` in a
directory that holds the unpacked sources under their names, with CC and CXX set; $TEXT is a text file, $DRIVERS the
directory of small programs of ours that use a library as its users do."""
from collections import namedtuple

# configure: its output, and the files `configured`, must be as with clang. runs: [Run]. checked: of its tests those that
# go through `heddle check`, by a word of their command line; all if nothing is said.
Package = namedtuple("Package", "name sources system configure configured make runs checked", defaults=(None,))
# argv[0] is a path in that directory. check: a script that says whether $OUT, its standard output, is right.
# client: a program to talk to it meanwhile; a replay goes without. env: more environment.
Run = namedtuple("Run", "argv check client env same", defaults=("true", None, {}, False))

UV_TESTS = """
 thread_create thread_equal thread_local_storage thread_stack_size thread_stack_size_explicit thread_mutex
 thread_mutex_recursive thread_rwlock thread_rwlock_trylock semaphore_1 semaphore_2 semaphore_3 condvar_1 condvar_2
 condvar_3 condvar_4 condvar_5 barrier_1 barrier_2 barrier_3 barrier_serial_thread threadpool_queue_work_simple
 threadpool_queue_work_einval threadpool_multiple_event_loops threadpool_cancel_getaddrinfo threadpool_cancel_work
 threadpool_cancel_fs threadpool_cancel_single async async_null_cb loop_alive loop_close loop_stop timer timer_init
 fs_file_async fs_file_sync fs_read_dir fs_async_dir getaddrinfo_basic getaddrinfo_concurrent pipe_getsockname
 pipe_connect_multiple tcp_write_to_half_open_connection udp_send_and_recv signal_multiple_loops random_async
 random_sync spawn_and_ping poll_duplex process_title_threadsafe
""".split()
# Each test of libuv is a process of its own; these have threads to look at.
UV_CHECKED = """thread_create thread_mutex thread_rwlock semaphore_1 semaphore_3 condvar_1 condvar_4 barrier_2
 threadpool_queue_work_simple threadpool_cancel_work async fs_file_async""".split()

NNG_TESTS = "synch pipe reqctx inproc pollfd device ipc bus tcpsupp ipcsupp compat_poll compat_device".split()
ZMQ_TESTS = """test_pair_inproc test_reqrep_inproc test_pair_tcp test_reqrep_tcp test_pair_ipc test_ctx_destroy
 test_inproc_connect test_proxy test_proxy_terminate test_monitor test_sub_forward test_spec_pushpull""".split()
EVENT_TESTS = """thread/basic thread/conditions_simple thread/no_events main/del_wait
 main/del_notify dns/getaddrinfo_race_gotresolve""".split()
MHD_TESTS = """test_start_stop test_daemon test_options test_shutdown_select test_shutdown_poll test_client_put_shutdown
 test_client_put_close test_client_put_hard_close test_client_put_steps_close test_client_put_chunked_close
 test_upgrade""".split()

# Targets of ck's own tests, with macros that bound their rounds; and how its `make check` calls them, with two or three threads.
CK_BUILT = [("ck_ring", "ck_ring_spsc ck_ring_mpmc", "-DITERATIONS=4"),
            ("ck_spinlock", "ck_ticket ck_mcs ck_clh ck_anderson ck_fas", "-DITERATE=8"),
            ("ck_rwlock", "validate", "-DITERATE=4"), ("ck_pflock", "validate", "-DITERATE=4"),
            ("ck_fifo", "ck_fifo_mpmc", "-DITERATIONS=4"), ("ck_barrier", "barrier_mcs", "-DITERATE=4 -DENTRIES=4"),
            ("ck_stack", "mpmc_pair", "-DITEMS=20"), ("ck_sequence", "ck_sequence", "-DSTEPS=20")]
CK_TESTS = [["ck_ring/validate/ck_ring_spsc", "2", "1", "4"], ["ck_ring/validate/ck_ring_mpmc", "2", "1", "4"],
            *(["ck_spinlock/validate/" + name, "3", "1"] for name in "ck_ticket ck_mcs ck_clh ck_anderson ck_fas".split()),
            ["ck_rwlock/validate/validate", "2", "1"], ["ck_fifo/validate/ck_fifo_mpmc", "2", "1", "8"],
            ["ck_barrier/validate/barrier_mcs", "2", "1", "1"], ["ck_stack/validate/mpmc_pair", "2", "1", "0"],
            ["ck_sequence/validate/ck_sequence", "2", "1"]]

JEMALLOC_TESTS = [*("unit/" + name for name in "mtx mq background_thread".split()), "integration/thread_arena"]
GLIB_TESTS = "thread asyncqueue cond once onceinit mainloop private thread-pool gwakeup".split()
# Of the main loop's tests those with threads, but for 50,000 sources.
GLIB_PARTS = {"mainloop": [word for part in ("wakeup", "ownerless-polling", "invoke") for word in ("-p", "/mainloop/" + part)]}

NANOMSG_TESTS = "inproc block msg poll term pair async_shutdown inproc_shutdown".split()
READS = ("awk 'BEGIN { srand(7); for (k = 0; k < 1500; k++) s = s substr(\"ACGT\", int(rand() * 4) + 1, 1); print \">s\\n\" s "
         "> \"reference\"; for (i = 0; i < 16; i++) print \">r\" i \"\\n\" substr(s, i * 80 + 1, 60) > \"reads\" }'")

SEQUENCES = ("awk 'BEGIN { srand(7); for (i = 0; i < 16; i++) { s = \"\"; for (k = 0; k < 60; k++) "
             "s = s substr(\"ACGT\", int(rand() * 4) + 1, 1); print \">s\" i \"\\n\" s } }' > sequences")

# For those who ask the first word of CC what it is.
ONE_WORD = ("case $CC in *' 'cc) ln -s ${CC% cc} heddle-cc; ln -s ${CC% cc} heddle-c++; CC=$PWD/heddle-cc CXX=$PWD/heddle-c++;; "
            "esac; ")
COMPRESSED = "%s -dc < $OUT | cmp - $TEXT"

PACKAGES = [
    Package("pigz", ["zlib", "pigz"], "make",
            "cd zlib; CFLAGS=-O2 ./configure --static", ["zlib/zconf.h"],
            "make -C zlib libz.a; make -C pigz pigz CC=\"$CC\" CFLAGS='-O2 -I../zlib' LDFLAGS=-L../zlib",
            [Run(["pigz/pigz", "-p", "4", "-b", "128", "-nc", "$TEXT"], COMPRESSED % "gzip", same=True),
             Run(["pigz/pigz", "-p", "3", "-b", "128", "-nci", "$TEXT"], COMPRESSED % "gzip", same=True)]),
    Package("pbzip2", ["bzip2", "pbzip2"], "make", "true", [],
            "make -C bzip2 libbz2.a CC=\"$CC\"; make -C pbzip2 CXX=\"$CXX\" LDFLAGS=-L../bzip2 "
            "CXXFLAGS='-std=gnu++98 -O2 -I../bzip2 -pthread'",
            [Run(["pbzip2/pbzip2", "-p3", "-1", "-b1", "-c", "$TEXT"], COMPRESSED % "bzip2", same=True)]),
    # Its gnulib is older than the C library's last change of names.
    Package("lbzip2", ["lbzip2"], "autotools",
            "cd lbzip2; ./configure CPPFLAGS='-D_IO_ftrylockfile=1 -D_IO_IN_BACKUP=0x100 -D_IO_ERR_SEEN=0x20'",
            ["lbzip2/lib/config.h"], "make -C lbzip2",
            [Run(["lbzip2/src/lbzip2", "-n", "3", "-1", "-c", "$TEXT"], COMPRESSED % "bzip2", same=True)]),
    # The Makefile asks whether there are threads with a source on standard input.
    Package("zstd", ["libzstd"], "make",
            "make -C libzstd/programs -npq zstd | grep '^HAVE_' | sort", [],
            "rm -f libzstd/programs/obj/*/zstd; make -C libzstd/programs zstd-release CC=\"$CC\" ZSTD_LEGACY_SUPPORT=0 HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0",
            [Run(["libzstd/programs/zstd", "-T2", "-3", "-q", "-B64K", "-c", "$TEXT"], COMPRESSED % "zstd", same=True)]),
    Package("zstd-meson", ["libzstd"], "Meson",
            "meson setup libzstd/build/meson b -Dlegacy_level=0 -Dzlib=disabled -Dlzma=disabled -Dlz4=disabled",
            [], "ninja -C b programs/zstd",
            [Run(["b/programs/zstd", "-T3", "-1", "-q", "-B64K", "-c", "$TEXT"], COMPRESSED % "zstd", same=True)]),
    Package("memcached", ["libevent", "memcached"], "CMake, autotools",
            "top=$PWD; cmake -S libevent -B e -DEVENT__DISABLE_OPENSSL=ON -DEVENT__DISABLE_TESTS=ON "
            "-DEVENT__DISABLE_SAMPLES=ON -DEVENT__DISABLE_BENCHMARK=ON -DEVENT__LIBRARY_TYPE=STATIC "
            "-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$top/i; cmake --build e --target install > made.log; "
            "cd memcached; ./configure --with-libevent=$top/i --disable-docs --disable-coverage",
            ["e/include/event2/event-config.h", "e/include/evconfig-private.h", "memcached/config.h"],
            "make -C memcached memcached AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=:",
            [Run(["memcached/memcached", "-u", "root", "-l", "127.0.0.1", "-p", "$PORT", "-t", "2", "-U", "0", "-A"],
                 client=["memcached-client", "$PORT", "200"])]),
    Package("sqlite3", ["sqlite3"], "autotools",
            "cd sqlite3; ./configure --disable-tcl --disable-readline --disable-shared --disable-load-extension",
            ["sqlite3/sqlite_cfg.h"],
            "make -C sqlite3 sqlite3.c > made.log; cd sqlite3; [ -f sqlite3.o ] || $CC -O1 -pthread -DSQLITE_THREADSAFE=1 "
            "-DSQLITE_ENABLE_UNLOCK_NOTIFY -c sqlite3.c; for t in 4 5; do "
            "$CC -O1 -pthread -I. test/threadtest$t.c sqlite3.o -lm -o threadtest$t; done",
            [Run(["sqlite3/threadtest4", "2"], "grep -q '0 errors' $OUT"),
             Run(["sqlite3/threadtest4", "-multithread", "3"], "grep -q '0 errors' $OUT"),
             Run(["sqlite3/threadtest5", "-num-workers", "2"])]),
    Package("libuv", ["libuv1"], "CMake",
            "cmake -S libuv1 -B b -DCMAKE_BUILD_TYPE=Release", [], "cmake --build b --target uv_run_tests_a",
            [Run(["b/uv_run_tests_a", test, test], env={"UV_RUN_AS_ROOT": "1"}) for test in UV_TESTS], UV_CHECKED),
    Package("lmdb", ["lmdb"], "make", "true", [],
            "l=lmdb/libraries/liblmdb; make -C $l liblmdb.a CC=\"$CC\" > made.log; "
            "$CC -O1 -g -pthread -I$l $DRIVERS/lmdb.c $l/liblmdb.a -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("leveldb", ["leveldb"], "CMake",
            "cmake -S leveldb -B b -DCMAKE_BUILD_TYPE=Release -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF "
            "-DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF", [],
            "cmake --build b --target leveldb; "
            "$CXX -O1 -g -pthread -Ileveldb/include $DRIVERS/leveldb.cpp b/libleveldb.a -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("nng", ["nng"], "CMake", "cmake -S nng -B b -DCMAKE_BUILD_TYPE=Release -DNNG_TESTS=ON", [],
            "cmake --build b --target " + " ".join(NNG_TESTS),
            [Run(["b/tests/" + test]) for test in NNG_TESTS]),
    Package("zeromq3", ["zeromq3"], "CMake",
            "cmake -S zeromq3 -B b -DCMAKE_BUILD_TYPE=Release -DWITH_LIBSODIUM=OFF -DWITH_TLS=OFF -DBUILD_SHARED=OFF", [],
            "cmake --build b --target " + " ".join(ZMQ_TESTS),
            [Run(["b/bin/" + test]) for test in ZMQ_TESTS]),
    # Each test in the process itself; without the option it forks one.
    Package("libevent", ["libevent"], "CMake",
            "cmake -S libevent -B b -DEVENT__DISABLE_OPENSSL=ON -DEVENT__DISABLE_SAMPLES=ON -DEVENT__DISABLE_BENCHMARK=ON "
            "-DEVENT__LIBRARY_TYPE=STATIC -DCMAKE_BUILD_TYPE=Release",
            ["b/include/event2/event-config.h", "b/include/evconfig-private.h"], "cmake --build b --target regress",
            [Run(["b/bin/regress", "--no-fork", test]) for test in EVENT_TESTS]),
    # Its tests with curl need curl's headers; these have clients of their own.
    Package("libmicrohttpd", ["libmicrohttpd"], "autotools",
            "cd libmicrohttpd; ./configure --disable-https --disable-doc --disable-examples --disable-curl --disable-shared "
            "--disable-nls", ["libmicrohttpd/MHD_config.h"],
            "make -C libmicrohttpd/src/microhttpd libmicrohttpd.la " + " ".join(MHD_TESTS),
            [Run(["libmicrohttpd/src/microhttpd/" + test]) for test in MHD_TESTS]),
    Package("civetweb", ["civetweb"], "CMake",
            ONE_WORD + "cmake -S civetweb -B b -DCMAKE_BUILD_TYPE=Release -DCIVETWEB_BUILD_TESTING=OFF -DCIVETWEB_ENABLE_SSL=OFF "
            "-DCIVETWEB_ENABLE_SERVER_EXECUTABLE=OFF", [],
            "cmake --build b --target civetweb-c-library; "
            "$CC -O1 -g -pthread -Icivetweb/include $DRIVERS/civetweb.c b/src/libcivetweb.a -ldl -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("xz", ["xz-utils"], "autotools",
            "cd xz-utils; ./configure --disable-shared --disable-nls --disable-doc --disable-scripts --disable-lzmainfo",
            ["xz-utils/config.h"], "make -C xz-utils/src/liblzma > made.log; make -C xz-utils/src/xz >> made.log",
            [Run(["xz-utils/src/xz/xz", "-T3", "-1", "--block-size=6000", "-kc", "$TEXT"], COMPRESSED % "xz", same=True)]),
    Package("plzip", ["lzlib", "plzip"], "make",
            "cd lzlib; ./configure CC=\"$CC\" CFLAGS=-O2; cd ../plzip; "
            "./configure CXX=\"$CXX\" CPPFLAGS=-I../lzlib LDFLAGS=-L../lzlib", [],
            "make -C lzlib liblz.a; make -C plzip",
            [Run(["plzip/plzip", "-n3", "-0", "-B8192", "-kc", "$TEXT"], "[ $(wc -c < $OUT) -gt 1000 ]", same=True)]),
    # Its own tests, each with fewer rounds than the millions that a machine of its own would do.
    Package("ck", ["ck"], "make of its own", ONE_WORD + "cd ck; ./configure > /dev/null",
            ["ck/include/ck_md.h"], "make -C ck/src libck.a CC=\"$CC\" > made.log; " + "".join(
                f"make -C ck/regressions/{where}/validate {target} CC=\"$CC\" "
                f"CFLAGS=\"-O1 -g -std=gnu99 -D_GNU_SOURCE -pthread -I../../../include {defines}\"; "
                for where, target, defines in CK_BUILT),
            [Run([f"ck/regressions/{path}", *args]) for path, *args in CK_TESTS]),
    Package("liburcu", ["liburcu"], "autotools",
            "cd liburcu; ./configure --disable-shared", ["liburcu/include/urcu/config.h"],
            "make -C liburcu/src > made.log; for f in memb mb signal bp qsbr; do "
            "F=$(echo $f | tr a-z A-Z); $CC -O1 -g -pthread -DFLAVOR_$F -DRCU_$F -Iliburcu/include $DRIVERS/liburcu.c "
            "liburcu/src/.libs/liburcu-$f.a liburcu/src/.libs/liburcu-cds.a liburcu/src/.libs/liburcu-common.a -o urcu-$f; done",
            [Run([f"urcu-{flavour}"], "grep -q good $OUT") for flavour in "memb mb signal bp qsbr".split()]),
    Package("mosquitto", ["mosquitto"], "make", "true", [],
            "make -C mosquitto/lib libmosquitto.a WITH_TLS=no WITH_CJSON=no WITH_STATIC_LIBRARIES=yes WITH_SHARED_LIBRARIES=no "
            "CC=\"$CC\" > made.log; "
            "$CC -O1 -g -pthread -Imosquitto/include $DRIVERS/mosquitto.c mosquitto/lib/libmosquitto.a -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("cpp-httplib", ["cpp-httplib"], "header only", "true", [],
            "$CXX -O1 -g -std=c++17 -pthread -Icpp-httplib $DRIVERS/httplib.cpp -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    # OpenMP; sixteen sequences of our own.
    Package("fasttree", ["fasttree"], "make", "true", [],
            "make -C fasttree fasttreeMP CC=\"$CC\" CFLAGS='-O1 -g'; " + SEQUENCES,
            [Run(["fasttree/fasttreeMP", "-nt", "-quiet", "$BUILT/sequences"], "grep -q s15 $OUT", env={"OMP_NUM_THREADS": "3"})]),
    Package("apr", ["apr"], "autotools", "cd apr; ./configure --disable-shared", ["apr/include/arch/unix/apr_private.h"],
            "make -C apr > made.log; make -C apr/test testall >> made.log",
            [Run(["apr/test/testall", test]) for test in ("testthread", "testcond", "testlock")]),
    Package("fio", ["fio"], "make", "cd fio; CFLAGS= ./configure --cc=\"$CC\" --disable-native --disable-http --disable-shm", [],
            "make -C fio fio > made.log",
            [Run(["fio/fio", "--name=job", "--thread", "--numjobs=2", "--size=64k", "--bs=4k", f"--ioengine={engine}",
                  "--minimal", *more])
             for engine, *more in (["null"], ["sync", "--rw=write", "--verify=crc32c"])]),
    Package("concurrentqueue", ["concurrentqueue"], "header only", "true", [],
            "$CXX -O1 -g -std=c++17 -pthread -Iconcurrentqueue $DRIVERS/concurrentqueue.cpp -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("readerwriterqueue", ["readerwriterqueue"], "header only", "true", [],
            "$CXX -O1 -g -std=c++17 -pthread -Ireaderwriterqueue $DRIVERS/readerwriterqueue.cpp -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    # Threads, how many items each, rounds.
    Package("mimalloc", ["mimalloc"], "CMake",
            "cmake -S mimalloc -B b -DCMAKE_BUILD_TYPE=Release -DMI_BUILD_SHARED=OFF -DMI_BUILD_OBJECT=OFF -DMI_BUILD_TESTS=OFF "
            "-DMI_OVERRIDE=OFF", [],
            "cmake --build b; $CC -O1 -g -pthread -Imimalloc/include mimalloc/test/test-stress.c b/libmimalloc.a -o stress",
            [Run(["stress", "2", "1", "1"])]),
    Package("jemalloc", ["jemalloc"], "autotools",
            "cd jemalloc; ./configure --disable-cxx --enable-stats > made.log",
            ["jemalloc/include/jemalloc/internal/jemalloc_internal_defs.h"],
            "make -C jemalloc " + " ".join("test/" + test for test in JEMALLOC_TESTS) + " > made.log",
            [Run(["jemalloc/test/" + test]) for test in JEMALLOC_TESTS]),
    Package("squashfs-tools", ["squashfs-tools"], "make", "true", [],
            "make -C squashfs-tools/squashfs-tools mksquashfs CC=\"$CC\" XATTR_SUPPORT=0 EXTRA_CFLAGS='-O1 -g' > made.log",
            [Run(["squashfs-tools/squashfs-tools/mksquashfs", "$TEXT", "image", "-processors", "2", "-b", "4096", "-noappend",
                  "-no-progress"], "[ -s $(dirname $OUT)/image ]")]),
    # The text, as if it were pictures.
    Package("x264", ["x264"], "autotools",
            "cd x264; ./configure --disable-asm --disable-opencl --disable-avs --disable-swscale --disable-lavf "
            "--disable-ffms --disable-gpac --disable-lsmash --bit-depth=8 --enable-debug --extra-cflags=-O1 > made.log",
            ["x264/x264_config.h"], "make -C x264 x264 > made.log",
            [Run(["x264/x264", "--quiet", "--threads", "2", "--lookahead-threads", "1", "--preset", "ultrafast", "--demuxer", "raw",
                  "--input-res", "32x32", "--muxer", "raw", "--fps", "25", "-o", "-", "$TEXT"], "[ $(wc -c < $OUT) -gt 1000 ]")]),
    Package("libsdl2", ["libsdl2"], "CMake",
            "cmake -S libsdl2 -B b -DCMAKE_BUILD_TYPE=Release -DSDL_SHARED=OFF -DSDL_TEST=OFF "
            + " ".join(f"-DSDL_{part}=OFF" for part in "VIDEO AUDIO RENDER JOYSTICK HAPTIC SENSOR HIDAPI POWER".split()), [],
            "cmake --build b; $CC -O1 -g -pthread -Ib/include -Ib/include-config-release/SDL2 -Ilibsdl2/include $DRIVERS/sdl.c "
            "b/libSDL2.a -ldl -lm -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("curl", ["curl"], "CMake",
            "cmake -S curl -B b -DCMAKE_BUILD_TYPE=Release -DHTTP_ONLY=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_CURL_EXE=OFF "
            "-DBUILD_TESTING=OFF -DCURL_ENABLE_SSL=OFF -DENABLE_THREADED_RESOLVER=ON -DUSE_LIBIDN2=OFF -DCURL_USE_LIBSSH2=OFF "
            "-DCURL_USE_LIBPSL=OFF -DUSE_NGHTTP2=OFF -DCURL_ZLIB=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF", ["b/lib/curl_config.h"],
            "cmake --build b --target libcurl; $CC -O1 -g -pthread -DCURL_STATICLIB -Icurl/include $DRIVERS/curl.c "
            "b/lib/libcurl.a -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("unbound", ["unbound"], "autotools",
            "cd unbound; ./configure --disable-shared --with-pthreads --without-pythonmodule --without-pyunbound "
            "--disable-dependency-tracking", ["unbound/config.h"],
            "make -C unbound libunbound.la > made.log; $CC -O1 -g -pthread -Iunbound/libunbound $DRIVERS/unbound.c "
            "unbound/.libs/libunbound.a -lssl -lcrypto -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("librdkafka", ["librdkafka"], "CMake",
            "cmake -S librdkafka -B b -DCMAKE_BUILD_TYPE=Release -DRDKAFKA_BUILD_STATIC=ON -DRDKAFKA_BUILD_EXAMPLES=OFF "
            "-DRDKAFKA_BUILD_TESTS=OFF -DWITH_SSL=OFF -DWITH_SASL=OFF -DWITH_CURL=OFF -DWITH_ZLIB=OFF -DWITH_ZSTD=OFF "
            "-DENABLE_LZ4_EXT=OFF", [],
            "cmake --build b --target rdkafka; $CC -O1 -g -pthread -Ilibrdkafka/src $DRIVERS/librdkafka.c b/src/librdkafka.a "
            "-ldl -lm -lrt -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("onetbb", ["onetbb"], "CMake",
            "cmake -S onetbb -B b -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DTBB_TEST=OFF -DTBB_STRICT=OFF "
            "-DTBBMALLOC_BUILD=OFF -DTBB_OUTPUT_DIR_BASE=out", [],
            "cmake --build b --target tbb; $CXX -O1 -g -std=c++17 -pthread -Ionetbb/include $DRIVERS/onetbb.cpp "
            "b/out_release/libtbb.a -ldl -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("glib2.0", ["pcre2", "glib2.0"], "Meson",
            "cmake -S pcre2 -B p -DCMAKE_INSTALL_PREFIX=$PWD/i -DPCRE2_BUILD_TESTS=OFF -DPCRE2_BUILD_PCRE2GREP=OFF "
            "-DCMAKE_BUILD_TYPE=Release > p.log; cmake --build p --target install > p.log; "
            "PKG_CONFIG_PATH=$PWD/i/lib/pkgconfig meson setup glib2.0 b --buildtype=debugoptimized --default-library=static "
            "-Dlibmount=disabled -Dselinux=disabled -Dnls=disabled -Dxattr=false -Dlibelf=disabled",
            ["b/config.h"], "ninja -C b " + " ".join("glib/tests/" + test for test in GLIB_TESTS),
            [Run(["b/glib/tests/" + test, *GLIB_PARTS.get(test, [])]) for test in GLIB_TESTS]),
    Package("pthreadpool", ["fxdiv", "pthreadpool"], "CMake",
            "cmake -S pthreadpool -B b -DCMAKE_BUILD_TYPE=Release -DPTHREADPOOL_BUILD_TESTS=OFF -DPTHREADPOOL_BUILD_BENCHMARKS=OFF "
            "-DPTHREADPOOL_LIBRARY_TYPE=static -DFXDIV_SOURCE_DIR=$PWD/fxdiv", [],
            "cmake --build b; $CC -O1 -g -pthread -Ipthreadpool/include $DRIVERS/pthreadpool.c b/libpthreadpool.a -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("spdlog", ["fmtlib", "spdlog"], "header only", "true", [],
            "$CXX -O1 -g -std=c++17 -pthread -DSPDLOG_FMT_EXTERNAL -DFMT_HEADER_ONLY -Ispdlog/include -Ifmtlib/include "
            "$DRIVERS/spdlog.cpp -o driver",
            [Run(["driver"], "grep -q good $OUT")]),
    Package("nanomsg", ["nanomsg"], "CMake",
            "cmake -S nanomsg -B b -DCMAKE_BUILD_TYPE=Release -DNN_STATIC_LIB=ON -DNN_ENABLE_DOC=OFF -DNN_ENABLE_NANOCAT=OFF", [],
            "cmake --build b --target " + " ".join(NANOMSG_TESTS),
            [Run(["b/" + test]) for test in NANOMSG_TESTS]),
    # The pool's own test, with fewer jobs than the 1000.
    Package("htslib", ["htslib"], "make", "make -C htslib config.h > made.log", ["htslib/config.h"],
            "cd htslib; $CC -O1 -g -pthread -DTEST_MAIN -DTASK_SIZE=5 -I. thread_pool.c $DRIVERS/htslib.c -o ../test_pool",
            [Run(["test_pool", what, "2"]) for what in ("unordered", "ordered1", "ordered2", "pipe")]),
    # A reference and reads of our own.
    Package("bwa", ["zlib", "bwa"], "make", "cd zlib; CFLAGS=-O2 ./configure --static > made.log", ["zlib/zconf.h"],
            "make -C zlib libz.a > made.log; make -C bwa bwa CC=\"$CC\" CFLAGS='-O1 -g' CPPFLAGS=-I../zlib LDFLAGS=-L../zlib "
            "> made.log; " + READS + "; bwa/bwa index reference",
            [Run(["bwa/bwa", "mem", "-t", "2", "-K", "300", "$BUILT/reference", "$BUILT/reads"], "[ $(grep -c ^r $OUT) = 16 ]")]),
]
