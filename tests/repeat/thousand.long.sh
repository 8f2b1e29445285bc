# SPDX-License-Identifier: Apache-2.0
# A thousand replays of an epoll server with a client outside, of an epoll loop and of a program that maps a file, each exact.
# memcached and redis: tests/corpus/servers --only replays --replays 1000.
times=${TIMES:-1000} bad=0

again()
{
    name=$1
    shift
    if ! "$HEDDLE" run --policy random --seed 7 "$@" > out 2> err; then
        echo "$name: the run failed"
        cat err
        return 1
    fi
    if "$HEDDLE" replay --quiet --times "$times" "$name.heddle/runs/last" > out 2> err; then
        echo "$name: $times of $times exact"
    else
        echo "$name: not exact"
        cat err
        return 1
    fi
}

for program in epoll mmap; do
    "$HEDDLE" cc -O1 -g -pthread "$TOP/tests/programs/$program.c" -o $program && again $program -- ./$program || bad=1
done
cc -O1 "$TOP/tests/cases/world/with/talk.c" -o talk
"$HEDDLE" cc -O1 -g -pthread "$HERE/epoll-server.c" -o epoll-server &&
    again epoll-server --client "./talk tcp 7090 '0>1' '1>2' '2>3' '0<ok 1' '1<ok 2' '2<ok 3' '1>4' '1<ok 4' '2>end'" \
        -- ./epoll-server || bad=1
exit $bad
