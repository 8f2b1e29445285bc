# SPDX-License-Identifier: Apache-2.0
# What a person sees: all, what is shown by default, one line each, one of them.
mkdir bank.heddle
cp "$HERE/findings.json" bank.heddle
"$HEDDLE" report --all || test $? = 1
"$HEDDLE" report || test $? = 1
"$HEDDLE" list --all
"$HEDDLE" show race
