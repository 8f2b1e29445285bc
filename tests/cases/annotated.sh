# SPDX-License-Identifier: Apache-2.0
# Annotations in the words of ThreadSanitizer, of dynamic_annotations.h, of Helgrind and DRD:
# each way says the same, and what is said holds. Without a word there are more races.
for say in 0 1 2; do
    "$HEDDLE" cc -DSAY=$say "$HERE/annotated/all.c" -o all
    "$HEDDLE" run -- ./all
    echo "way $say"
    "$HEDDLE" predict --json all.heddle/runs/last/trace > found.json 2> /dev/null
    python3 - << 'END'
import json, re
found = [f for f in json.load(open("found.json"))["findings"] if f["pattern"] == "race"]
for name in sorted({re.search(r"race on '(\w+)'", f["message"])[1] for f in found}):
    print("   ", name)
END
done
