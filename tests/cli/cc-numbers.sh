# SPDX-License-Identifier: Apache-2.0
# Sources that are called by numbers are built like others.
echo 'int part(void) { return 3; }' >1.c
echo 'int part(void); int other(void); int main(void) { return part() + other() - 7; }' >0.c
echo 'int other(void) { return 4; }' >2.c
"$HEDDLE" cc 0.c 1.c 2.c -o all && ./all && echo linked
cp 1.c 3.c && "$HEDDLE" cc -c 3.c && ls 3.o
echo 'int main() {}' >1.cc && "$HEDDLE" c++ 1.cc -o alone && ./alone && echo alone
