# SPDX-License-Identifier: Apache-2.0
# The version is the one in meson.build; behind it stands the commit it was built from.
version=$(sed -n "s/^project('heddle', 'c', version: '\([^']*\)'.*/\1/p" "$TOP/meson.build")
"$HEDDLE" --version >got
echo "heddle $version" >want
commit=$(git -C "$TOP" rev-parse HEAD 2>/dev/null)
sed -n 's/^commit //p' got >short
[ -z "$commit" ] || grep -q '^[0-9a-f]\{12\}$' short || { echo "no commit:"; cat got; }
sed '/^commit /d' got | cmp - want
