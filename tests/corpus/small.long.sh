# Small ones of the real programs; tests/corpus/run without names does all. Needs a mirror of Debian.
"$TOP/tests/corpus/run" --dir "$PWD/corpus" --seeds 1 pigz lbzip2 > rows 2> err && exit 0
grep -q 'no mirror' rows && { echo "no source packages"; exit 77; }
cat rows err
exit 1
