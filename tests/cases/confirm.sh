# SPDX-License-Identifier: Apache-2.0
# A few programs, each checked from one run as a user would do it: bugs are confirmed, and what is
# right is not reported.
"$HERE/confirm" race/counter.bug.c race/semaphores.ok.c race/thread-pool.ok.c deadlock/gate.ok.c \
    atomicity/check-then-act.bug.c cxx/hidden.bug.cpp deadlock/wait-join whole/declared race/container.bug \
    whole/log whole/rename.bug whole/stop.bug \
    whole/ring.bug whole/cancel.bug double-free/tested.bug
