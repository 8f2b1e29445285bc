# SPDX-License-Identifier: Apache-2.0
# SARIF passes its schema, of which an npm package has a copy, and has what the viewer of VS Code shows: the golden findings,
# those of a run with weak behaviour, a fix, and what was stopped early. Skipped where the package cannot be had.
set +e
package=@microsoft/jest-sarif@1.0.0-beta.0
command -v npm >/dev/null && timeout 60 npm pack --silent "$package" >name 2>/dev/null || { echo "no $package here"; exit 77; }
python3 -c 'import jsonschema' 2>/dev/null || { echo "no python3-jsonschema here"; exit 77; }
tar xzf "$(tail -1 name)"
mkdir golden stopped
cp "$HERE/findings.json" golden
python3 - "$HERE/findings.json" >stopped/findings.json <<'END'
import json
import sys
told = json.load(open(sys.argv[1]))
told["stopped_early"] = True
json.dump(told, sys.stdout)
END
cp "$TOP/tests/cases/weak/message.bug.c" "$TOP/examples/tickets.c" .
"$HEDDLE" report --all --sarif --dir golden >golden.sarif 2>/dev/null
"$HEDDLE" report --all --sarif --dir stopped >stopped.sarif 2>/dev/null
"$HEDDLE" check --sarif message.bug.c -- >weak.sarif 2>/dev/null
"$HEDDLE" cc -g -pthread -o tickets tickets.c
"$HEDDLE" fix --sarif -- ./tickets >fix.sarif 2>/dev/null
python3 -W ignore "$HERE/check-schema.py" package/lib/schemas/sarif-2.1.0-rtm.5.json golden.sarif stopped.sarif weak.sarif fix.sarif
