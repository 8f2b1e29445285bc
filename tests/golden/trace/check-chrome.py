#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-chrome.py JSON - can Perfetto draw it? The slices of a track nest, no two of them begin
together, every track has a name, and both ends of every arrow lie in a slice, in the right order."""
import json
import sys

tracks, arrows, names, instants = {}, {}, {}, 0
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e["ph"] == "X":
        assert e["dur"] > 0
        tracks.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"], e["name"]))
    elif e["ph"] in "sf":
        assert e["ph"] not in arrows.setdefault(e["id"], {}) and e["bp"] == "e"
        arrows[e["id"]][e["ph"]] = e
    elif e["ph"] == "M" and e["name"] == "thread_name":
        assert e["tid"] not in names
        names[e["tid"]] = e["args"]["name"]
    elif e["ph"] == "i":
        instants += 1
for tid, slices in tracks.items():
    assert tid in names
    slices.sort()
    assert len({start for start, _, _ in slices}) == len(slices), f"two begin together on {tid}"
    around = []
    for start, end, name in slices:
        while around and around[-1] <= start:
            around.pop()
        assert not around or end <= around[-1], f"{name} crosses another slice"
        around.append(end)
for arrow in arrows.values():
    assert arrow["s"]["ts"] < arrow["f"]["ts"] and arrow["s"]["name"] == arrow["f"]["name"]
    for e in arrow.values():
        assert any(start <= e["ts"] < end for start, end, _ in tracks[e["tid"]]), f"{e} hangs in the air"
print(len(tracks), "tracks,", sum(map(len, tracks.values())), "slices,", len(arrows), "arrows,",
      instants, "instants")
