# SPDX-License-Identifier: Apache-2.0
# As fix-idioms.sh, for programs that take longer; a ring needs both of its ends mended in one patch.
set +e
. "$TOP/tests/pfix/idiom.sh"
for name in families/ratelimit families/eventloop families/spscring families/rwcache families/pagecache families/lru \
    families/mailbox unseen/idgen unseen/linepump; do
    idiom $name
done
# a thread that a list of initialisers creates cannot be moved by its statement
idiom unseen/uploads --rounds 1
idiom unseen/channel
idiom unseen/sessions
idiom unseen/instance
# a loop in a template; the program's own guards; a value that is known before it is tested
idiom families/observers
idiom families/metrics
idiom families/ledger
idiom strangers/hosts
idiom strangers/tickets
idiom strangers/workset
idiom strangers/gauge
idiom newcomers/signals
idiom newcomers/cluster
