# SPDX-License-Identifier: Apache-2.0
# Waits of imported traces: the lock is not held meanwhile, and who waits longest is woken first.
show() {
    echo "\$ $1"
    tr ' ' '\n' >std
    "$HEDDLE" trace export std --format chrome -o json
    python3 "$HERE/check-chrome.py" json
    python3 - <<'END'
import json
events = json.load(open("json"))["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
for e in events:
    if e["ph"] == "X":
        open_end = " not ended" if "end" in e["args"] else ""
        print(f'{names[e["tid"]]}: {e["name"]} {e["ts"]}-{e["ts"] + e["dur"]}{open_end}')
    elif e["ph"] in "sf":
        print(f'{names[e["tid"]]}: {e["ph"]} {e["name"]} {e["id"]} {e["ts"]}')
END
}
show "one event" <<'END'
A|acq(L)|1 A|wait(C)|2 B|acq(L)|3 B|notify(C)|4 B|rel(L)|5 A|r(x)|6 A|rel(L)|7
END
show "one event, and the release right behind it" <<'END'
A|acq(L)|1 A|wait(C)|2 B|acq(L)|3 B|notifyall(C)|4 B|rel(L)|5 A|rel(L)|7
END
show "one event behind a release" <<'END'
A|acq(L)|1 A|rel(L)|2 A|br|3 A|wait(C)|2 B|acq(L)|3 B|notify(C)|4 B|rel(L)|5 A|r(x)|6 A|acq(L)|7 A|rel(L)|8
END
show "one event without a lock, and one that never ends" <<'END'
A|wait(C)|1 A|r(x)|2 A|acq(L)|3 A|wait(C)|4
END
show "a join right behind it" <<'END'
A|fork(B)|1 A|acq(L)|1 A|wait(C)|2 B|notify(C)|4 A|join(B)|5
END
show "another lock right behind it" <<'END'
A|acq(L)|1 A|wait(C)|2 A|acq(M)|3 A|rel(M)|4 A|rel(L)|5
END
show "two events: the first waiter is woken first" <<'END'
A|wait_pre(C)|1 B|wait_pre(C)|2 M|notify(C)|3 M|notify(C)|4 B|wait_post(C)|5 A|wait_post(C)|6
END
show "two events: all are woken; nobody is woken by what comes later" <<'END'
A|wait_pre(C)|1 B|wait_pre(C)|2 D|wait_pre(C)|2 D|wait_post(C)|2 M|notifyall(C)|3 B|wait_post(C)|5 A|wait_post(C)|6
END
