# SPDX-License-Identifier: Apache-2.0
# The classics of weak memory: what check confirms is replayed 100 times, each time with the same
# end and the same race; fix mends it where the orders are; the right twin is quiet.
# limit: 1800
again() { # COMMAND ...: its exit code, and what it says
    local code=0
    "$@" >said 2>&1 || code=$?
    echo "$code $(grep -v '^heddle: replay' said | md5sum)"
}
names=${NAMES:-ring.c ring-plain.cpp double-checked.cpp peterson-relaxed.c peterson-acquire.cpp dekker-relaxed.c dekker-acquire.cpp seqlock.c hazard.c hazard-freed.cpp deque.c refcount.cpp refcount-fence.c}
for name in $names; do
    base=${name%.*} suffix=${name##*.} compiler=cc
    [ "$suffix" = cpp ] && compiler=c++
    for kind in bug ok; do
        cp "$HERE/weak/$base.$kind.$suffix" $base-$kind.$suffix
        "$HEDDLE" $compiler -w -g -O1 $base-$kind.$suffix -o $base-$kind -pthread
    done
    right=$("$HEDDLE" check -- ./$base-ok | head -1)
    code=0
    "$HEDDLE" check --json -- ./$base-bug >found || code=$?
    echo "$base: check $code, right: ${right%% in *}"
    python3 - found >first <<'END'
import json, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    if f["shown"] and f["verdict"] == "confirmed":
        print(f["id"], f["replay"].removeprefix("heddle replay "))
        break
END
    read -r id run <first || continue
    for i in $(seq 100); do again "$HEDDLE" replay $run; done | sort | uniq -c | awk '{ print "  replayed alike:", $1 }'
    code=0
    "$HEDDLE" fix $id >fixed || code=$?
    echo "  fix: exit $code"
    grep '^[-+] ' fixed | sed 's/^/    /' || :
done
