# SPDX-License-Identifier: Apache-2.0
# A lock is contended if it is asked for while another thread holds it in a conflicting way.
cat >t <<'END'
T0 request free; T0 acquire free; T0 release free
T0 request busy; T0 acquire busy; T1 request busy; T0 release busy; T1 acquire busy; T1 release busy
T0 request rw shared; T0 acquire rw shared; T1 request rw shared; T1 acquire rw shared
T2 request rw; T0 release rw shared; T1 release rw shared; T2 acquire rw
T0 request rw shared; T2 release rw; T0 acquire rw shared; T0 release rw shared
T0 acquire again; T0 request again; T0 acquire again depth 2; T0 release again depth 1; T0 release again
T1 acquire given_up; T0 request given_up timed; T0 timeout given_up timed; T1 release given_up
T0 acquire given_up; T0 release given_up
T0 acquire held; T1 request held
T0 request tried; T0 acquire tried; T1 request tried try; T1 refused tried try error 16
T1 refused tried try error 16; T0 release tried; T1 refused tried try error 16
END
"$HEDDLE" trace stat t | sed -n '/^locks/,/^$/p'
# Both are asked for and never obtained.
echo 'T0 request A; T0 acquire A; T1 request B; T1 acquire B; T0 request B; T1 request A' >deadlock
"$HEDDLE" trace stat deadlock | sed -n '/^locks/,/^$/p'
echo 'T0|acq(L)|1' >std
"$HEDDLE" trace stat std | sed -n '/^locks/,/^$/p'
