# What compiling adds stays small: of all sites of a function only the first one has a note for the linker (its unit), and a
# loop gets code in the place of calls only as long as it is short.
echo 'extern long a[]; void brief(long n) { for (long i = 0; i < n; i++) a[i] = 1; }' > brief.c
{
    echo 'extern long a[]; void lengthy(long n) { for (long i = 0; i < n; i++) {'
    for i in $(seq 220); do echo "a[i + $i] = 1;"; done
    echo '} }'
} > lengthy.c
for name in brief lengthy; do
    "$HEDDLE" cc -O1 -g -c "$name.c" || exit
    readelf -rW "$name.o" | awk '/Relocation section/ { is = /heddle_sites/ } is && / R_X86_64_64 / { n++ } END { print n }'
    nm -u "$name.o" | grep -o '__heddle_write8.*'
done
