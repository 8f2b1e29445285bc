# SPDX-License-Identifier: Apache-2.0
# As fix-idioms.sh, for programs that take longer; a ring needs both of its ends mended in one patch.
set +e
. "$TOP/tests/pfix/idiom.sh"
for name in families/ratelimit families/eventloop families/spscring families/rwcache unseen/idgen; do
    idiom $name
done
