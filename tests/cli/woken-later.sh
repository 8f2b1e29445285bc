# A wake-up that can come too early is not lost if another one comes for certain.
cp "$HERE/woken-later.c" .
"$HEDDLE" check woken-later.c
"$HEDDLE" report --all --dir woken-later.heddle | grep -o 'predicted.*\|.*nothing waits.*' || true
