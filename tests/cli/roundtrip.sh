# Every public trace, STD -> binary -> text -> binary -> STD: nothing is lost on the way.
tar --zstd -xf "$TOP/tests/data/benchmarks.tar.zst"
find corpus cex traces -name '*.std' | LC_ALL=C sort | xargs "$BUILD/tools/roundtrip"
# The same through the commands, packed in both ways, on one of them.
heddle trace convert --format binary --zstd -o 1.trace cex/p01_figure1.std
heddle trace convert --format text -o 2.txt 1.trace
gzip 2.txt
heddle trace convert --format std -o 3.std 2.txt.gz
cmp cex/p01_figure1.std 3.std
