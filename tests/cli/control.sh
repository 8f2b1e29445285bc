# SPDX-License-Identifier: Apache-2.0
# Nothing that a terminal would obey comes out of a name: C0, DEL, C1 as UTF-8, stray bytes.
name=$(printf 'a\033[31m\302\2331m\2339\177\303\274')
cat >"$name" <<'END'
heddle trace 1 imported
A write "x\x1b[31m\xc2\x9b1m\x9b\xc3\xbc" @:1
B write "x\x1b[31m\xc2\x9b1m\x9b\xc3\xbc" @:1
END
"$HEDDLE" trace stat "$name" | grep '^a\|x?'
"$HEDDLE" trace dump "$name" --from 100 >/dev/null
"$HEDDLE" trace dump "$name.missing" || echo "exit $?"
