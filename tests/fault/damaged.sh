# SPDX-License-Identifier: Apache-2.0
# Bytes are changed in what a run is replayed from, or it is cut: schedules with what came from outside, what is
# played, the log of the outside, schedules. There is one message, and nothing runs into the dark.
cc -O1 "$TOP/tests/cases/world/with/talk.c" -o talk
sed s/7071/7083/ "$TOP/tests/cases/world/live-threads.ok.c" >prog.c # a port that no test beside this one has
"$HEDDLE" cc -g -O1 -pthread prog.c -o prog
client="./talk tcp 7083 '0>add 1' '1>add 1' '2>add 1' '0<ok' '1<ok' '2<ok' '0>total' '0<3'"
"$HEDDLE" run --client "$client" -- ./prog 2>/dev/null
cp -r prog.heddle/runs/1 kept
"$HEDDLE" run --policy random --seed 2 --peers kept -- ./prog 2>/dev/null
cp prog.heddle/runs/last/schedule played
python3 "$HERE/damaged.py" "$HEDDLE" "$PWD/kept" "$PWD/played" 40
