# SPDX-License-Identifier: Apache-2.0
# What the recorded run was told about names comes from the record in all runs that are made of it: their network has
# nobody to ask.
unshare -Urnm true 2>/dev/null || { echo "may not have a network here"; exit 77; }
for k in ok bug; do
    "$HEDDLE" cc -g -O1 -pthread -D"$k" "$HERE/lookup.c" -o $k
done
echo "nameserver 127.0.0.1" >resolv.conf
cat >inner.sh <<'E'
python3 "$HERE/lookup.py" >up &
server=$!
while ! grep -q up up; do sleep 0.05; done
mount --bind resolv.conf /etc/resolv.conf
for k in ok bug; do
    code=0
    "$HEDDLE" check --json -- ./$k >$k.json 2>/dev/null || code=$?
    echo "$k: exit $code"
done
"$HEDDLE" run -- ./ok 2>&1
kill $server
E
HERE=$HERE HEDDLE=$HEDDLE unshare -Urnm bash -eu inner.sh
python3 -c 'import json
for k in "ok", "bug":
    print(k, sorted({f["pattern"] + " " + f["verdict"] for f in json.load(open(k + ".json"))["findings"] if f.get("shown", True)}))'
"$HEDDLE" replay ok.heddle/runs/last 2>&1
"$HEDDLE" run --runs 20 --policy random --peers ok.heddle/runs/last -- ./ok 2>&1 | sed "s/ heddle replay.*//"
