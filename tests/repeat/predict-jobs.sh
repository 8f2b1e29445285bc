# SPDX-License-Identifier: Apache-2.0
# However many threads predict, what they say is the same, to the byte: findings, JSON, figures,
# witnesses, lists and answers.
awk 'BEGIN {
    seed = 7
    for (i = 1; i < 4; i++) print "T0|fork(T" i ")|" i
    for (n = 0; n < 600; n++) {
        t = random(4); lock = random(3); variable = lock + 3 * random(4)
        if (random(6) == 0) { print access(t, random(12), 40); continue }
        print "T" t "|acq(L" lock ")|" 10 + lock
        inner = random(8) == 0 ? (lock + 1 + random(2)) % 3 : -1
        if (inner >= 0) print "T" t "|acq(L" inner ")|" 20 + inner
        print access(t, variable, 60)
        print access(t, variable, 80)
        if (inner >= 0) print "T" t "|rel(L" inner ")|" 30 + inner
        print "T" t "|rel(L" lock ")|" 33 + lock
    }
}
function random(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
function access(t, v, site) {
    write = random(3) == 0
    return "T" t "|" (write ? "w" : "r") "(V" v ")|" site + v + 100 * write
}' >load.std
head -400 load.std >short.std
"$HEDDLE" predict --std short.std --mode sound --list --jobs 1 >list-1
sed 's/^/race /; s/race \(race\|dl\|av\)/\1/' list-1 | head -3000 >asked
for jobs in 1 2 5; do
    "$HEDDLE" predict --std load.std --mode classic --jobs $jobs --stats --witness-dir w >text-$jobs 2>&1
    "$HEDDLE" predict --std load.std --mode sound --jobs $jobs --json >json-$jobs 2>&1
    "$HEDDLE" predict --std short.std --mode sound --list --stats --jobs $jobs >list-$jobs 2>&1
    "$HEDDLE" predict --std short.std --mode classic --query asked --jobs $jobs >answers-$jobs 2>&1
    cat w/* | cksum >witnesses-$jobs
    rm -r w
done
for what in text json list answers witnesses; do
    cmp $what-1 $what-2 && cmp $what-1 $what-5 || exit 1
done
grep -c 'predicted' text-1 | awk '$1 > 10 { print "findings" }'
wc -l <list-1 | awk '$1 > 50 { print "list" }'
awk '{ print $NF }' answers-1 | sort | uniq -c | awk '{ print $2 }'
