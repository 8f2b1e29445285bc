# SPDX-License-Identifier: Apache-2.0
# Idioms of heddle fix, each alone: exactly this diff comes out, and both compilers take what it makes without a
# warning. Some of the programs are in tests/pfix; the slower ones are in fix-idioms.long.sh.
set +e
. "$TOP/tests/pfix/idiom.sh"
idiom unseen/peakmeter
idiom families/lazytable
idiom families/flushlog
idiom families/conntab
idiom strangers/eventbus
idiom strangers/bytering
idiom newcomers/imgcache
idiom newcomers/telemetry
idiom newcomers/codecs
idiom newcomers/fonts
