# SPDX-License-Identifier: Apache-2.0
# A live client that crashes, is not there, never connects, never ends or floods: one clear message, and the exit
# code that heddle-check(1) names. Nothing hangs, and nobody is left behind.
cc -O1 "$TOP/tests/cases/world/with/talk.c" -o talk
"$HEDDLE" cc -g -O1 -pthread "$TOP/tests/cases/world/live-threads.ok.c" -o server
cat >mute.c <<'C'
#include <sys/socket.h>
int main(int argc, char **argv)
{
    char text[8];
    (void)argv;
    return argc > 1 ? (int)recv(socket(AF_INET, SOCK_DGRAM, 0), text, sizeof text, 0) : 0;
}
C
"$HEDDLE" cc -g -O1 -pthread mute.c -o mute
try() {
    what=$1
    shift
    code=0
    timeout 60 "$@" >out 2>err </dev/null || code=$?
    echo "$what: exit $code"
    grep -v "heddle: a live client took part\|^replay:\|^T[0-9]" err | sed 's/^/  /' | head -4
    sed -n '/^no bug\|finding\|^outcome/p' out | sed 's/^/  /'
}
check() { try "$1" "$HEDDLE" check --explore 4 --timeout 4 --client-wait 1 --client "$2" -- "./${3:-server}" ${4:-}; }
try run-good "$HEDDLE" run --client "./talk tcp 7071 '0>add 2' '0<ok' '0>total' '0<2'" -- ./server
try run-wrong "$HEDDLE" run --client "./talk tcp 7071 '0>add 2' '0<ok' '0>total' '0<3'" -- ./server
try run-crash "$HEDDLE" run --client "./talk tcp 7071 crash" -- ./server
try run-not-found "$HEDDLE" run --client ./nobody -- ./server
try run-mute "$HEDDLE" run --client-wait 1 --client true -- ./mute
try run-exhaustive "$HEDDLE" run --policy exhaustive --client true -- ./server
check good "./talk tcp 7071 '0>add 2' '0<ok'"
check crash "./talk tcp 7071 '0>add 2' crash"
check not-found "./nobody"
check never-connects "true"
check never-ends "sleep 600"
check prints "yes"
check floods "while ./talk tcp 7071 '0>add 1' '1>add 1' '2>add 1' '3>add 1'; do :; done"
check mute "true" mute
check sleeps "true" mute long
check always-wrong "./talk tcp 7071 '0>add 2' '0<no'"
pgrep -f "$PWD" || true
