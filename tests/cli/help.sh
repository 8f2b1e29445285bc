# SPDX-License-Identifier: Apache-2.0
# Help goes to stdout, in every way one may ask for it, and says the same.
"$HEDDLE" --help
echo "---- trace"
"$HEDDLE" trace --help
"$HEDDLE" trace --help >trace
"$HEDDLE" --help >all
for words in "-h" "help"; do "$HEDDLE" $words | cmp - all; done
for words in "trace -h" "help trace" "trace dump --help" "trace stat -h x" "trace convert --help a b"; do
    "$HEDDLE" $words | cmp - trace
done
awk 'length > 80 { print "too wide: " $0 }' all trace
