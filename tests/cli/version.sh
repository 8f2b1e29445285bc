# SPDX-License-Identifier: Apache-2.0
# The version is the one in meson.build.
version=$(sed -n "s/^project('heddle', 'c', version: '\([^']*\)'.*/\1/p" "$TOP/meson.build")
"$HEDDLE" --version >got
echo "heddle $version" | cmp - got
