# SPDX-License-Identifier: Apache-2.0
# The models of insufficient fixes fail and pass as they should, looked at for longer.
"$HERE/check" --long
