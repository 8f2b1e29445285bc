# SPDX-License-Identifier: Apache-2.0
# What the core cannot decide, the symbolic stage finds and a run shows; mended, nothing is found.
"$HERE/replays" dispatch filled number outgrown seats stale
